"""The order of the test files, and which tests of theirs only ``make test-all`` runs.

With ``--dist loadfile`` a worker takes one file after the other. A long file that is taken last
leaves the other worker with nothing to do: long ones go first, so that two workers end together.
"""

import re

import pytest

LONG = (
    # The first worker compiles the loops of all methods. The other would compile the same ones if
    # it began with them too, and begins with what calls few.
    "properties/test_estimator_checks.py",
    "typing/test_typing.py",
    "architecture/test_guards.py",
    "trouble/test_bad_input.py",
    "explorer/test_life.py",
    # then files of more than ten seconds, the longest first
    "interfaces/test_command_line.py",
    "scale/test_cluster.py",
    "textbook/test_items.py",
    "properties/test_new_points.py",
    "interfaces/test_notebook.py",
    "properties/test_options.py",
    "trouble/test_processes.py",
    "interfaces/test_docs.py",
    "interfaces/test_site.py",
    "evaluate/test_plan.py",
    "evaluate/test_diagnose.py",
    "evaluate/test_real_advice.py",
    "trouble/test_memory.py",
    "properties/test_components.py",
    "trouble/test_interrupts.py",
    "textbook/test_pages.py",
    "textbook/test_running.py",
    "interfaces/test_report.py",
    "properties/test_help.py",
    "store/test_files.py",
    "store/test_forged.py",
    "architecture/test_adding.py",  # copies the tree with the kernels that are compiled by then
)

LABORIOUS = r"(GPCA|Principal\w+|MaximumVariance\w+|Conformal\w+|TSNE|Autoassociative\w+)"
# Seconds that ask again, of a dearer case, what a quicker one of the same test has asked, or that
# the slow tests ask of more: they are slow tests too.
AGAIN = (
    r"test_adding.py::test_the_guards_accept_it_and_the_contract_holds",
    r"test_approximate.py::test_any_number_of_threads_finds_the_same",
    rf"test_cancelling.py::test_cancelling_at_any_event_leaves_an_unfitted_object\[{LABORIOUS}\]",
    r"test_dimension.py::test_noise_below_the_scale_of_the_shape_is_seen_through\[roll 0.[25]\]",
    r"test_dimension.py::test_full_dimensional_clouds\[[23]\]",
    r"test_gpca.py::test_noise_is_borne\[dimensions[34]",
    r"test_graph_search.py::test_strips_of_other_metrics_are_worked_on_at_a_time\[<lambda>\]",
    r"test_interrupts.py::test_a_curve_is_interrupted\[lowess",
    r"test_kernels.py::test_the_way_back_from_noisy_digits_beats_interpolation\[(pen|mn)\w+-[lhs]",
    r"test_maximum_variance_unfolding.py::test_larger_rolls_are_unrolled\[2000",
    r"test_memory.py::test_the_claim_of_the_search_is_its_peak\[20000",
    rf"test_odd_input.py::test_numbers_in_any_dress\[(object|str|i8|u1|bool)-{LABORIOUS}\]",
    rf"test_new_points.py::test_training_rows_in_single_precision_hardly_move\[.*{LABORIOUS}",
    r"test_principal_surface.py::test_an_adaptive_surface_spends_its_knots_where_it_bends",
    r"test_processes.py::test_a_fitted_model_places_points_in_other_processes\[loky\]",
    r"test_progress.py::test_the_exact_search_tells_how_far_it_is_and_the_time_left",
    r"test_real_advice.py::test_the_advice_improves_the_map\[(pbmc68k|coil20)",
    r"test_real_maps.py::test_a_map_in_a_dot_names_the_points_outside\[\w+-True",
    r"test_scores.py::test_a_sample_of_many_points_is_scored_against_all",
    r"test_spectrum.py::test_hundreds_of_pairs_of_a_large_table_are_found_by_lanczos",
)


@pytest.hookimpl(tryfirst=True)  # before those are left out that are slow
def pytest_collection_modifyitems(items):
    """Sort tests by the place of their file, leave the order within, and say which are slow."""
    rank = {name: number for number, name in enumerate(LONG)}
    items.sort(key=lambda item: rank.get("/".join(item.path.parts[-2:]), len(LONG)))
    again = re.compile("|".join(AGAIN))
    for item in items:
        if again.search(item.nodeid):
            item.add_marker(pytest.mark.slow)

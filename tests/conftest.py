"""The order of the test files: long ones first, so that two workers end together.

With ``--dist loadfile`` a worker takes one file after the other. A long file that is taken last
leaves the other worker with nothing to do.
"""

LONG = (  # files of more than ten seconds, the longest first
    "interfaces/test_command_line.py",
    "properties/test_estimator_checks.py",
    "scale/test_cluster.py",
    "textbook/test_items.py",
    "properties/test_new_points.py",
    "explorer/test_life.py",
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
    "typing/test_typing.py",
    "store/test_files.py",
    "store/test_forged.py",
    "architecture/test_adding.py",  # copies the tree with the kernels that are compiled by then
)


def pytest_collection_modifyitems(items):
    """Sort tests by the place of their file, and leave the order within a file as it is."""
    rank = {name: number for number, name in enumerate(LONG)}
    items.sort(key=lambda item: rank.get("/".join(item.path.parts[-2:]), len(LONG)))

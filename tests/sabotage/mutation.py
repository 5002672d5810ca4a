"""Change one operator, number or condition of a stage at random, and count what the tests notice.

``python -m tests.sabotage.mutation --sample 40 --seed 0 kernel graph`` tries 40 mutants of each of
the two stages, drawn by the seed 0; without ``--sample`` all of them are tried. Breakages are made
by people, one per promise; mutants are drawn, so that their share that is caught says something of
the code that nobody thought of. Survivors are printed as the line that was changed: some change
nothing that can be seen, such as the size of a block.
"""

import argparse
import ast
import random
import sys
import tempfile
from math import sqrt
from pathlib import Path

from tests.sabotage.breakages import Breakage
from tests.sabotage.running import ROOT, Copy, attack

TESTS = {
    "problem": (
        "stages/test_problem.py",
        "stages/test_barycentric_and_extension.py",
        "identities/test_lle.py",
        "identities/test_gram_family.py",
        "identities/test_graph_laplacian.py",
        "identities/test_graph_methods.py",
        "identities/test_local_methods.py",
        "properties/test_precomputed.py",
        "properties/test_sparse_points.py",
    ),
    "kernel": (
        "stages/test_kernel.py",
        "stages/test_single_kernel.py",
        "identities/test_feature_maps.py",
        "identities/test_polynomial_pca.py",
        "identities/test_nystroem.py",
        "properties/test_sparse_points.py",
    ),
    "spectrum": (
        "stages/test_canonical.py",
        "stages/test_spectrum.py",
        "identities/test_gram_family.py",
        "identities/test_graph_methods.py",
        "properties/test_report.py",
    ),
    "graph": (
        "stages/test_graph_components.py",
        "stages/test_graph_search.py",
        "identities/test_landmarks.py",
        "properties/test_components.py",
    ),
}
NOTICED = ("caught", "hung", "error")  # an error: what was changed cannot even be imported
SWAPS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Lt: ast.GtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


def places_of(tree):
    """Return (place among the nodes, number of the change, line) of all that can be changed."""
    skipped = _not_computing(tree)
    return [
        (place, number, getattr(node, "lineno", 0))
        for place, node in enumerate(ast.walk(tree))
        if node not in skipped
        for number, _ in enumerate(_changes(node))
    ]


def changed(text, place, number):
    """Return the lines of a file with one change made."""
    tree = ast.parse(text)
    node = next(node for i, node in enumerate(ast.walk(tree)) if i == place)
    list(_changes(node))[number](node)
    return ast.unparse(tree).splitlines()


def _not_computing(tree):
    """Return the nodes of messages, annotations, decorators and of what type checkers read."""
    roots = []
    for node in ast.walk(tree):
        if isinstance(
            node, ast.Raise | ast.JoinedStr | ast.AnnAssign | ast.Import | ast.ImportFrom
        ):
            roots.append(node)
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            roots += [*node.decorator_list, getattr(node, "returns", None)]
        if isinstance(node, ast.arg):
            roots.append(node.annotation)
        if isinstance(node, ast.Call) and _name(node) in (
            "warn",
            "advise",
            "note",
            "claim",
            "cast",
        ):
            roots.append(node)
    return {inner for root in roots if root is not None for inner in ast.walk(root)}


def _name(call):
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _changes(node):
    if isinstance(node, ast.BinOp) and type(node.op) in SWAPS:
        yield lambda n: setattr(n, "op", SWAPS[type(n.op)]())
    if isinstance(node, ast.BoolOp):
        yield lambda n: setattr(n, "op", SWAPS[type(n.op)]())
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        yield lambda n: setattr(n, "ops", [SWAPS[type(n.ops[0])](), *n.ops[1:]])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield lambda n: setattr(n, "op", ast.UAdd())
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield lambda n: setattr(n, "value", n.value + 1)
    if isinstance(node, ast.Constant) and type(node.value) is bool:
        yield lambda n: setattr(n, "value", not n.value)
    if isinstance(node, ast.If):
        yield lambda n: setattr(n, "test", ast.UnaryOp(ast.Not(), n.test))


def drawn(stage, count=None, seed=0):
    """Return some mutants of a stage, or all, as breakages of whole files."""
    package = ROOT / "src" / "unspool"
    files = [f for f in sorted((package / stage).glob("*.py")) if not f.stem.endswith("_kernels")]
    texts = {file: file.read_text("utf-8") for file in files}
    everything = [(file, *at) for file, text in texts.items() for at in places_of(ast.parse(text))]
    count = len(everything) if count is None else min(count, len(everything))
    for file, place, number, line in random.Random(seed).sample(everything, count):
        text, name = texts[file], str(file.relative_to(package))
        old, new = ast.unparse(ast.parse(text)).splitlines(), changed(text, place, number)
        differing = (
            f"{a.strip()} -> {b.strip()}" for a, b in zip(old, new, strict=False) if a != b
        )
        told = f"line {line}: {next(differing, 'no change')}"
        yield Breakage(told, name, text, "\n".join(new) + "\n", TESTS[stage])


def tried(copy, stage, count, seed):
    """Try mutants of a stage, telling of each; return what became of them."""
    verdicts = []
    for mutant in drawn(stage, count, seed):
        verdicts.append(attack(copy, mutant))
        print(verdicts[-1], flush=True)
    return verdicts


def score(noticed, count):
    """Return the share of mutants that were noticed, with its 95 % interval (Wilson 1927)."""
    share, z = noticed / count, 1.96
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    reach = sqrt(share * (1 - share) / count + (z / (2 * count)) ** 2) * z / (1 + z * z / count)
    bounds = f"{100 * (middle - reach):.0f} to {100 * (middle + reach):.0f} %"
    return f"{noticed} of {count} mutants were noticed: {100 * share:.0f} % ({bounds})"


def main(words):
    """Try mutants of each stage that is named, or of all four; tell the score."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("stages", nargs="*", choices=[*TESTS, []], help="all, if none is named")
    parser.add_argument("--sample", type=int, help="mutants of each stage; all, if not given")
    parser.add_argument("--seed", type=int, default=0, help="seed of the draw")
    asked = parser.parse_args(words)
    verdicts = []
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        copy = Copy(Path(folder))
        for stage in asked.stages or TESTS:
            found = tried(copy, stage, asked.sample, asked.seed)
            verdicts += found
            noticed = sum(verdict.state in NOTICED for verdict in found)
            print(f"{stage}: {score(noticed, len(found))}", flush=True)
    noticed = sum(verdict.state in NOTICED for verdict in verdicts)
    print(f"all: {score(noticed, len(verdicts))}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

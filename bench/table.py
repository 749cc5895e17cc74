"""Prints what the benchmarks show beside what must be reached: python3 bench/table.py out/bench.json"""
import json
import sys

runs = {}
for run in json.load(open(sys.argv[1]))["benchmarks"]:
    if run.get("aggregate_name", "median") != "median":
        continue
    runs[run["name"].removesuffix("_median").split("/repeats")[0]] = run
SCALE = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def seconds(name):
    run = runs[name]
    return run["cpu_time"] * SCALE[run["time_unit"]]


def metric(method):
    return runs[f"BM_GraspFigure5/{method}/iterations:100"]["metric_mean"]


def speed(step, name):
    run = f"BM_Control{step}/{name}/iterations:1"
    return runs[run]["simulated_s"] / seconds(run)


# what, how to measure it, "<=" or ">=", the limit, unit
ROWS = [
    ("step of the 57-DOF hand on a cylinder, over bare mj_step",
     lambda: seconds("BM_StepOurs") / seconds("BM_StepEngine"), "<=", 1.10, "x"),
    ("field over exact distance, dragon of 146,000 faces",
     lambda: seconds("BM_ExactDistance/dragon_146k") / seconds("BM_FieldDistance/dragon_146k"), ">=", 20, "x"),
    ("field error at 99 % of points within 5 mm",
     lambda: runs["BM_FieldDistance/dragon_146k"]["error_p99_mm"], "<=", 0.1, "mm"),
    ("field error, worst point (reported, no limit)",
     lambda: runs["BM_FieldDistance/dragon_146k"]["error_max_mm"], None, None, "mm"),
    ("field, 870,000 over 1,000 faces",
     lambda: seconds("BM_FieldDistance/dragon_870k") / seconds("BM_FieldDistance/dragon_1k"), "<=", 1.5, "x"),
    ("cone program, 10 contacts", lambda: 1e6 * seconds("BM_ConeProgram/10"), "<=", 50, "us"),
    ("Ipopt over the cone program",
     lambda: seconds("BM_ConeProgramIpopt/10") / seconds("BM_ConeProgram/10"), ">=", 100, "x"),
    ("weakest wrench of a grasp, 10 contacts",
     lambda: 1e3 * seconds("BM_ForceClosure/10"), "<=", 2, "ms"),
    ("weakest wrench of a grasp, 20 contacts",
     lambda: 1e3 * seconds("BM_ForceClosure/20"), "<=", 5, "ms"),
    *[(f"600 evaluations, bunny of {faces:,} faces (paper: {paper})",
       lambda faces=faces: 1e3 * seconds(f"BM_GraspTable1/{faces}"), "<=", 20, "ms")
      for faces, paper in ((1000, "1 s"), (3851, "2 s"), (16301, "8 s"), (146148, "17 s"))],
    ("the same, 146,148 over 1,000 faces (paper: 17)",
     lambda: seconds("BM_GraspTable1/146148") / seconds("BM_GraspTable1/1000"), "<=", 1.5, "x"),
    *[(f"figure 5, mean metric of 100 trials: hill climbing over {name}",
       lambda label=label: metric("dhc") / metric(label), limit and "<=", limit, "x")
      for label, name, limit in (("annealing", "annealing", 1), ("genetic", "genetic", 1),
                                 ("cma_es", "CMA-ES", None))],
    *[(f"hand holding a {name}, steps of 2 ms, over real time",
       lambda name=name: speed("OurStep", name), ">=", 10, "x") for name in ("cylinder", "bottle")],
    *[(f"the same, steps of 0.2 ms: {name} (paper: 0.17 to 0.67)",
       lambda name=name: speed("PaperStep", name), ">=", 1, "x") for name in ("cylinder", "bottle")],
    *[(f"controlled over bare step, hand holding a {name}",
       lambda name=name: runs[f"BM_ControlOverhead/{name}/iterations:1"]["ratio"], "<=", 1.5, "x")
      for name in ("cylinder", "bottle")],
    *[(f"the engine's contact solver over ours, hand holding a {name}",
       lambda name=name: runs[f"BM_ControlSolver/{name}/iterations:1"]["ratio"], ">=", 3, "x")
      for name in ("cylinder", "bottle")],
    *[(f"complementarity, {n} contacts, from nothing (reported)",
       lambda n=n: 1e6 * seconds(f"BM_Lcp/{n}"), None, None, "us") for n in (1, 5, 10, 20)],
    *[(f"the same, last active set, {n} contacts (reported)",
       lambda n=n: 1e6 * seconds(f"BM_LcpGuessed/{n}"), None, None, "us") for n in (1, 5, 10, 20)],
    ("replay of five fingers at 500 Hz, over real time (paper: below 1)",
     lambda: runs["BM_Replay"]["realtime"], ">=", 20, "x"),
    ("a step of manipulation, Ipopt over ours, the same problems",
     lambda: runs["BM_ManipulateStepIpopt/iterations:1"]["step_ms"]
     / runs["BM_ManipulateStepFast/iterations:3"]["step_ms"], ">=", 10, "x"),
    *[(f"a step of manipulation, {n} contacts (reported)",
       lambda n=n: 1e6 * seconds(f"BM_ManipulateContacts/{n}"), None, None, "us")
      for n in (2, 5, 10, 20)],
    ("balanced squeeze, 15 contacts", lambda: 1e6 * seconds("BM_BalancedSqueeze/15"), "<=", 300, "us"),
]

short = 0
print(f"{'what':<68}{'measured':>12}  {'limit':>10}")
for what, measure, relation, limit, unit in ROWS:
    try:
        value = measure()
    except KeyError as missing:
        print(f"{what:<68}{'not run':>12}  ({missing.args[0]})")
        continue
    met = relation is None or (value <= limit if relation == "<=" else value >= limit)
    short += not met
    bound = "" if relation is None else f"{relation} {limit:g}"
    print(f"{what:<68}{value:>9.3g} {unit:<3} {bound:>10}{'' if met else '   SHORT'}")
sys.exit(1 if short else 0)

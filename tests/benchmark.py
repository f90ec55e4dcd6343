"""How fast, and in how much memory: each row of the table as a ratio to what others do, with its spread.

    python tests/benchmark.py            prints the table
    python tests/benchmark.py --json     prints it for a program
    python tests/benchmark.py --quick    fewer repetitions
    python tests/benchmark.py MHA cache  only the rows whose names contain one of these

One process, one thread, float32, thread time; both sides take turns, so a change of the machine's mood meets both. The
ratio is the median over turns; its spread is where the middle half of the turns lie.
"""

import argparse
import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

import attn


class Row(NamedTuple):
    """One line of the table: two things to run, how often, and what their ratio should be."""

    name: str
    against: str
    bar: float
    make: Callable[[], tuple[Callable[[], object], Callable[[], object]]]
    turns: int = 15
    calls: int = 1
    more_is_better: bool = False


class Result(NamedTuple):
    name: str
    against: str
    ratio: float
    low: float
    high: float
    bar: float
    holds: bool


def tensors(*size, count=3, grad=False):
    return [torch.randn(*size, requires_grad=grad) for _ in range(count)]


def training(forward):
    """Forward and backward."""
    return lambda: forward().sum().backward()


def inference(forward):
    def run():
        with torch.no_grad():
            return forward()

    return run


def fused(size, train, causal=False):
    def make():
        Q, K, V = tensors(*size, grad=train)
        wrap = training if train else inference
        return (
            wrap(lambda: attn.fused_attention(Q, K, V, causal=causal)),
            wrap(lambda: F.scaled_dot_product_attention(Q, K, V, is_causal=causal)),
        )

    return make


def layers(size, num_heads, train, causal=False, additive=False):
    def make():
        theirs = nn.MultiheadAttention(size[-1], num_heads, batch_first=True).train(train)
        mine, x, n = attn.MultiHeadAttention.from_torch(theirs), torch.randn(*size), size[-2]
        blocked = ~attn.causal_mask(n) if causal else None
        if additive:
            blocked = torch.zeros(n, n).masked_fill(blocked, -torch.inf)
        wrap = training if train else inference
        return (
            wrap(lambda: mine(x, causal=causal)),
            wrap(lambda: theirs(x, x, x, need_weights=False, attn_mask=blocked)[0]),
        )

    return make


def composition(size, num_heads, train):
    """The layer against the same written out, with one packed projection."""

    def make():
        mine, x = attn.MultiHeadAttention(size[-1], num_heads).train(train), torch.randn(*size)
        parts = (mine.W_q, mine.W_k, mine.W_v)
        weight = torch.cat([W.weight for W in parts]).detach().requires_grad_(train)
        bias = torch.cat([W.bias for W in parts]).detach().requires_grad_(train)

        def written_out():
            Q, K, V = F.linear(x, weight, bias).unflatten(-1, (3, num_heads, -1)).permute(2, 0, 3, 1, 4)
            heads = F.scaled_dot_product_attention(Q, K, V)
            return mine.W_o(heads.transpose(1, 2).flatten(-2))

        wrap = training if train else inference
        return wrap(lambda: mine(x)), wrap(written_out)

    return make


def masked(size, train):
    def make():
        Q, K, V = tensors(*size, grad=train)
        mask = attn.padding_mask(torch.full((size[0], 1), size[-2] - 3), size[-2])
        wrap = training if train else inference
        return (
            wrap(lambda: attn.fused_attention(Q, K, V, mask=mask)),
            wrap(lambda: F.scaled_dot_product_attention(Q, K, V, attn_mask=mask)),
        )

    return make


def d2l_style(Q, K, V):
    scores = torch.bmm(Q, K.transpose(1, 2)) / Q.shape[-1] ** 0.5
    return torch.bmm(F.dropout(F.softmax(scores, dim=-1), 0.1, training=False), V)


def gpt_style(Q, K, V, triangle):
    scores = (Q @ K.transpose(-2, -1)) * (1.0 / K.size(-1) ** 0.5)
    scores = scores.masked_fill(triangle == 0, float("-inf"))
    return F.dropout(F.softmax(scores, dim=-1), 0.1, training=False) @ V


def formula(causal):
    def make():
        Q, K, V = tensors(1, 8, 1024, 64)
        triangle = torch.tril(torch.ones(1024, 1024)).view(1, 1, 1024, 1024)
        other = (lambda: gpt_style(Q, K, V, triangle)) if causal else (lambda: d2l_style(Q[0], K[0], V[0]))
        return inference(lambda: attn.attention(Q, K, V, causal=causal)), inference(other)

    return make


def blockwise(causal):
    def make():
        Q, K, V = tensors(1, 8, 4096, 64)
        return (
            inference(lambda: attn.blockwise_attention(Q, K, V, causal=causal)),
            inference(lambda: F.scaled_dot_product_attention(Q, K, V, is_causal=causal)),
        )

    return make


def decoding():
    block, x = attn.TransformerBlock(256, 4).eval(), torch.randn(1, 512, 256)

    def with_cache():
        cache = attn.KVCache(512)
        for i in range(512):
            block(x[:, i : i + 1], causal=True, cache=cache)

    def recomputing():
        for i in range(512):
            block(x[:, : i + 1], causal=True)[:, -1:]

    return inference(recomputing), inference(with_cache)


SDPA, MHA = "F.scaled_dot_product_attention", "nn.MultiheadAttention(need_weights=False)"
PACKED = "written out, one packed projection"
ROWS = [
    Row("fused_attention (8,8,128,64) forward", SDPA, 1.05, fused((8, 8, 128, 64), False), 41),
    Row("fused_attention (8,8,128,64) training", SDPA, 1.05, fused((8, 8, 128, 64), True), 25),
    Row("fused_attention (2,8,1024,64) forward", SDPA, 1.05, fused((2, 8, 1024, 64), False)),
    Row("fused_attention (2,8,1024,64) training", SDPA, 1.05, fused((2, 8, 1024, 64), True), 9),
    Row("fused_attention (2,8,1024,64) causal forward", SDPA, 1.05, fused((2, 8, 1024, 64), False, True)),
    Row("fused_attention (8,8,128,64) padded, forward", f"{SDPA}, the same mask", 1.05,
        masked((8, 8, 128, 64), False), 41),
    Row("fused_attention (8,8,128,64) padded, training", f"{SDPA}, the same mask", 1.05,
        masked((8, 8, 128, 64), True), 25),
    Row("MultiHeadAttention (8,128,512,h8) eval", PACKED, 1.05, composition((8, 128, 512), 8, False), 25),
    Row("MultiHeadAttention (8,128,512,h8) training", PACKED, 1.05, composition((8, 128, 512), 8, True), 25),
    Row("fused_attention (8,1024,64) forward", f"{SDPA}, 3-D too", 0.35, fused((8, 1024, 64), False)),
    Row("fused_attention (8,1024,64) training", f"{SDPA}, 3-D too", 0.5, fused((8, 1024, 64), True), 9),
    Row("MultiHeadAttention (1,1024,512,h8) eval", MHA, 0.70, layers((1, 1024, 512), 8, False), 25),
    Row("MultiHeadAttention (1,1024,512,h8) eval, causal", f"{MHA}, boolean mask", 0.35,
        layers((1, 1024, 512), 8, False, True)),
    Row("MultiHeadAttention (1,1024,512,h8) eval, causal", f"{MHA}, float mask", 1.05,
        layers((1, 1024, 512), 8, False, True, True)),
    Row("MultiHeadAttention (8,128,512,h8) training", MHA, 0.95, layers((8, 128, 512), 8, True), 25),
    Row("MultiHeadAttention (32,32,64,h4) training", MHA, 0.85, layers((32, 32, 64), 4, True), 41, 5),
    Row("attention (1,8,1024,64)", "d2l-style code", 1.0, formula(False), 25),
    Row("attention (1,8,1024,64) causal", "minGPT-style code", 1.0, formula(True), 25),
    Row("blockwise_attention (1,8,4096,64) forward", SDPA, 2.0, blockwise(False), 5),
    Row("blockwise_attention (1,8,4096,64) causal forward", f"{SDPA}, is_causal", 2.0, blockwise(True), 5),
    Row("KV cache, 512 words, one block (d_model 256)", "times faster than recomputing", 10.0, decoding, 3, 1, True),
]


def measure(row: Row, turns: int | None = None) -> Result:
    torch.manual_seed(0)
    mine, other = row.make()
    mine(), other()
    ratios = []
    for turn in range(turns or row.turns):
        pair = (mine, other) if turn % 2 else (other, mine)
        spent = {}
        for run in pair:
            start = time.thread_time()
            for _ in range(row.calls):
                run()
            spent[run] = time.thread_time() - start
        ratios.append(spent[mine] / spent[other])
    ratio = statistics.median(ratios)
    low, _, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else (ratio, ratio, ratio)
    holds = ratio >= row.bar if row.more_is_better else ratio <= row.bar
    return Result(row.name, row.against, ratio, low, high, row.bar, holds)


PEAK = """
import pathlib, sys, torch, attn
torch.set_num_threads(1)
which, n = sys.argv[1], int(sys.argv[2])
def memory(line):
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(text.split()[1]) for text in lines if text.startswith(line)) / 1024
with torch.no_grad():
    if which == "layer":
        layer, x = attn.MultiHeadAttention(64, 4).eval(), torch.randn(1, n, 64)
        layer(x[:, :64])
        run = lambda: layer(x)
    elif which == "torch":
        layer, x = torch.nn.MultiheadAttention(64, 4, batch_first=True).eval(), torch.randn(1, n, 64)
        layer(x[:, :64], x[:, :64], x[:, :64], need_weights=False)
        run = lambda: layer(x, x, x, need_weights=False)
    else:
        Q, K, V = (torch.randn(1, 8, n, 64) for _ in range(3))
        attn.blockwise_attention(Q[:, :, :64], K[:, :, :64], V[:, :, :64])
        run = lambda: attn.blockwise_attention(Q, K, V)
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
    before = memory("VmRSS")
    run()
    print(memory("VmHWM") - before)
"""


def extra_memory(which: str, n: int) -> float:
    """MiB that one call adds to the peak of a process of its own (Linux only)."""
    done = subprocess.run([sys.executable, "-c", PEAK, which, str(n)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def memory_rows() -> list[Result]:
    layer, theirs = extra_memory("layer", 16384), extra_memory("torch", 8192)
    small, large = extra_memory("blockwise", 2048), extra_memory("blockwise", 8192)
    bound = 4 * 1.25  # linear, with room for what does not grow
    return [
        Result("MultiHeadAttention eval, n = 16384, h4: extra MiB", f"torch at n = 8192: {theirs:.0f} MiB",
               layer, layer, layer, 100.0, layer <= 100),
        Result("blockwise_attention, extra memory at n = 8192", f"that at n = 2048 ({small:.0f} MiB), 4 × if linear",
               large / small, large / small, large / small, bound, large / small <= bound),
    ]


def toy() -> dict[str, float]:
    """Microseconds of a call on four words, which the table does not bound."""
    Q, K, V = tensors(1, 1, 4, 8)
    calls = {"fused_attention": lambda: attn.fused_attention(Q, K, V), "attention": lambda: attn.attention(Q, K, V),
             SDPA: lambda: F.scaled_dot_product_attention(Q, K, V)}
    times = {}
    for name, call in calls.items():
        rounds = []
        for _ in range(5):
            start = time.thread_time()
            for _ in range(500):
                call()
            rounds.append((time.thread_time() - start) / 500 * 1e6)
        times[name] = min(rounds)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="only the rows whose names contain one of these")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows = [row for row in ROWS if not options.names or any(name in row.name for name in options.names)]
    results = []
    for row in rows:
        results.append(measure(row, 3 if options.quick else None))
        if not options.json:
            show(results[-1])
    if not options.names and sys.platform == "linux":
        for result in memory_rows():
            results.append(result)
            if not options.json:
                show(result)
    machine = f"torch {torch.__version__}, {platform.machine()}, {time.strftime('%Y-%m-%d')}"
    if options.json:
        rows = [result._asdict() for result in results]
        print(json.dumps({"machine": machine, "rows": rows, "toy_microseconds": toy()}, indent=2))
    else:
        times = ", ".join(f"{name} {spent:.1f} µs" for name, spent in toy().items())
        print(f"toy call, four words (not bounded): {times}\n{machine}")


def show(result: Result) -> None:
    mark, more = "ok" if result.holds else "SHORT", "≥" if "faster" in result.against else "≤"
    print(f"{mark:5} {result.ratio:7.2f} [{result.low:.2f}, {result.high:.2f}] {more} {result.bar:g}  "
          f"{result.name}  against {result.against}", flush=True)


if __name__ == "__main__":
    main()

"""Guards with slack: the benchmark measures, these only notice that something has become much slower.

Each compares two computations in one process, in turns, and takes the best of several tries, as machines are shared.
"""

import benchmark
import pytest
import torch

import attn

SLACK = 1.5


@pytest.fixture(autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


CHEAP = [
    "fused_attention (8,8,128,64) forward",
    "fused_attention (8,1024,64) forward",
    "MultiHeadAttention (32,32,64,h4) training",
    "attention (1,8,1024,64)",
    "attention (1,8,1024,64) causal",
]


@pytest.mark.parametrize("name", CHEAP)
def test_no_slower_than_it_should_be(name):
    row = next(row for row in benchmark.ROWS if row.name == name)
    assert min(benchmark.measure(row, turns=3).ratio for _ in range(3)) <= row.bar * SLACK


def test_causal_costs_less_than_a_mask():
    row = next(row for row in benchmark.ROWS if "boolean mask" in row.against)
    assert min(benchmark.measure(row, turns=1).ratio for _ in range(3)) <= row.bar * SLACK


def test_the_layers_use_the_fused_kernel_without_a_mask(monkeypatch):
    seen = []
    kernel = torch.nn.functional.scaled_dot_product_attention

    def watch(*args, **options):
        seen.append((args[0].ndim, options["attn_mask"], options["is_causal"]))
        return kernel(*args, **options)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", watch)
    layer = attn.MultiHeadAttention(8, 2)
    layer(torch.randn(5, 8)), layer(torch.randn(3, 5, 8), causal=True), layer(torch.randn(2, 3, 5, 8))
    assert seen == [(4, None, False), (4, None, True), (4, None, False)]
    with torch.no_grad():
        layer(torch.randn(3, 1, 8), torch.randn(3, 7, 8), causal=True)  # one query: it sees every key
    assert seen[3] == (4, None, False)


def test_the_benchmark_has_every_row_of_the_table():
    names = " ".join(row.name for row in benchmark.ROWS)
    for part in ("(8,8,128,64)", "(8,1024,64)", "(1,1024,512,h8)", "(8,128,512,h8)", "(32,32,64,h4)", "(1,8,4096,64)"):
        assert part in names
    result = benchmark.measure(benchmark.ROWS[0], turns=2)
    assert result.low <= result.ratio <= result.high and result.bar == 1.05

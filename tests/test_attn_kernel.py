"""Which kernel the layers call: what is measured (tests/benchmark.py) depends on it."""

import torch

import attn


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

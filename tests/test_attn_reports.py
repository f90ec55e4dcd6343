"""Faults that readers and users have really reported, of this or of other code: each must not happen here.

The name of a test is the project and the number of the report.
"""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import attn
from attn.labs import zoo
from attn.labs.check import check_attention

PATHS = [attn.attention, attn.fused_attention, attn.blockwise_attention]
paths = pytest.mark.parametrize("path", PATHS)


def causal_modules():
    return [
        attn.MultiHeadAttention(8, 2, dropout=0.0),
        attn.MultiHeadAttention(8, 4, num_kv_heads=2),
        attn.TransformerBlock(8, 2),
    ]


@pytest.mark.parametrize("training", [True, False])
def test_llms_from_scratch_1061_no_token_sees_the_future(training):
    for module in causal_modules():
        module.train(training)
        x = torch.randn(2, 7, 8)
        before = module(x, causal=True)
        for i in range(1, 7):
            changed = x.clone()
            changed[:, i:] = torch.randn(2, 7 - i, 8) * 10
            torch.testing.assert_close(module(changed, causal=True)[:, :i], before[:, :i])
        mask = attn.causal_mask(7)[None, None]
        torch.testing.assert_close(module(x, mask=mask), before)  # the mask given by hand means the same


@pytest.mark.parametrize("training", [True, False])
def test_llms_from_scratch_1061_no_gradient_comes_from_the_future(training):
    for module in causal_modules():
        module.train(training)
        x = torch.randn(7, 8, requires_grad=True)
        for i in range(7):
            (gradient,) = torch.autograd.grad(module(x, causal=True)[i].sum(), x)
            assert gradient[i + 1 :].eq(0).all() and gradient[: i + 1].ne(0).any(dim=-1).all()


@paths
def test_pytorch_170415_170404_158461_true_means_may_look(path):
    Q, K, V = torch.randn(2, 3, 5), torch.randn(2, 7, 5), torch.randn(2, 7, 11)
    mask = torch.zeros(2, 3, 7, dtype=torch.bool)
    mask[..., 4] = True
    torch.testing.assert_close(path(Q, K, V, mask=mask), V[:, 4:5].expand(2, 3, 11))
    torch.testing.assert_close(path(Q, K, V, mask=mask), F.scaled_dot_product_attention(Q, K, V, attn_mask=mask))
    layer = nn.MultiheadAttention(8, 2, batch_first=True)
    x = torch.randn(2, 5, 8)
    mine = attn.MultiHeadAttention.from_torch(layer)
    torch.testing.assert_close(
        mine(x, mask=attn.causal_mask(5)[None, None]), layer(x, x, x, attn_mask=~attn.causal_mask(5))[0]
    )


def test_labml_146_282_each_row_sums_to_one_and_columns_need_not():
    Q, K = torch.randn(2, 3, 5), torch.randn(2, 7, 5)
    weights = attn.attention_weights(Q, K)
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3))
    assert not torch.allclose(weights.sum(-2), torch.ones(2, 7), atol=0.1)
    heads = attn.MultiHeadAttention(8, 2).weights(torch.randn(3, 5, 8), torch.randn(3, 7, 8))
    torch.testing.assert_close(heads.sum(-1), torch.ones(3, 2, 5))
    assert not torch.allclose(heads.sum(-2), torch.ones(3, 2, 7), atol=0.05)


@paths
def test_d2l_2423_pytorch_103963_103749_109517_a_row_that_sees_nothing(path):
    Q, K, V = (torch.randn(1, 2, size, 5, requires_grad=True) for size in (3, 7, 7))
    mask = torch.ones(1, 2, 3, 7, dtype=torch.bool)
    mask[0, 1, 2] = False
    output = path(Q, K, V, mask=mask)
    assert output[0, 1, 2].eq(0).all() and output.isfinite().all()
    output.sin().sum().backward()
    assert all(x.grad.isfinite().all() for x in (Q, K, V))


def test_d2l_806_1910_2507_2557_2648_every_name_is_in_the_package():
    assert all(hasattr(attn, name) for name in attn.__all__)
    public = {name for name, thing in vars(attn).items() if not name.startswith("_") and callable(thing)}
    assert public == set(attn.__all__)


def test_transformer_from_scratch_6_heads_are_split_and_merged_with_a_transpose():
    layer, x = attn.MultiHeadAttention(12, 3), torch.randn(2, 5, 12)
    order = torch.tensor([3, 0, 4, 1, 2])
    torch.testing.assert_close(layer(x[:, order]), layer(x)[:, order])
    theirs = nn.MultiheadAttention(12, 3, batch_first=True)
    torch.testing.assert_close(attn.MultiHeadAttention.from_torch(theirs)(x), theirs(x, x, x)[0])
    only = torch.randn(2, 5, 12)
    only[1] = x[1]
    torch.testing.assert_close(layer(only)[1], layer(x)[1])  # samples of a batch do not mix


def test_vit_pytorch_65_tt_metal_56789_hf_blog_2893_the_scale_is_that_of_one_head():
    layer, x = attn.MultiHeadAttention(36, 4), torch.randn(2, 5, 36)
    Q, K = (W(x).unflatten(-1, (4, 9)).transpose(1, 2) for W in (layer.W_q, layer.W_k))
    torch.testing.assert_close(layer.weights(x), (Q @ K.mT / 3).softmax(-1))  # √9, not √36
    assert not torch.allclose(layer.weights(x), (Q @ K.mT / 6).softmax(-1), atol=1e-3)
    theirs = nn.MultiheadAttention(36, 4, batch_first=True)
    mine = attn.MultiHeadAttention.from_torch(theirs)
    torch.testing.assert_close(mine(x), theirs(x, x, x)[0])


@paths
def test_former_10_transformer_lens_284_the_diagonal_is_seen(path):
    x = torch.randn(5, 3)
    assert attn.causal_mask(5).diagonal().all()
    assert torch.equal(path(x, x, x, causal=True)[0], x[0])
    assert attn.attention_weights(x, x, causal=True).diagonal().gt(0).all()


@paths
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_fairseq_3575_apex_1052_half_precision_with_masks(path, dtype):
    Q, K, V = torch.randn(2, 3, 16), torch.randn(2, 7, 16), torch.randn(2, 7, 5)
    mask = torch.rand(2, 3, 7) > 0.3
    mask[1, 2] = False
    for options in ({"mask": mask}, {"causal": True}, {"mask": mask, "causal": True}):
        came = path(Q.to(dtype), K.to(dtype), V.to(dtype), **options)
        assert came.dtype == dtype and came.isfinite().all()
        torch.testing.assert_close(came.float(), path(Q, K, V, **options), atol=0.03, rtol=0.03)


@pytest.mark.parametrize("module", ["functional", "fused", "blockwise", "masks", "layers", "scoring", "block"])
def test_fairseq_3575_apex_1052_no_magic_constant(module):
    import importlib
    import inspect

    source = inspect.getsource(importlib.import_module(f"attn.{module}"))
    assert "e9" not in source and "10000" not in source


@paths
def test_cs249r_1785_an_additive_mask_is_refused_in_words(path):
    Q, K, V = torch.randn(3, 5), torch.randn(7, 5), torch.randn(7, 2)
    additive = torch.zeros(3, 7).masked_fill(~attn.causal_mask(3, 7), -torch.inf)
    for mask in (additive, attn.causal_mask(3, 7).int()):
        with pytest.raises(TypeError, match="mask must be a boolean tensor, True = may look"):
            path(Q, K, V, mask=mask)


@pytest.mark.parametrize("causal", [False, True])
def test_pytorch_193728_keys_and_values_of_different_length_never_reach_the_kernel(causal, monkeypatch):
    calls = []
    monkeypatch.setattr(F, "scaled_dot_product_attention", lambda *args, **options: calls.append(args))
    for lead in ((), (2,), (2, 3), (2, 3, 2)):
        for m, v in ((5, 4), (4, 5), (5, 0), (5, 1)):
            with pytest.raises(ValueError, match="key and value must have the same length m"):
                attn.fused_attention(
                    torch.randn(*lead, 5, 8), torch.randn(*lead, m, 8), torch.randn(*lead, v, 8), causal=causal
                )
    assert not calls


def test_pytorch_144858_103082_108108_one_query_at_the_end_sees_every_key():
    Q, K, V = torch.randn(2, 1, 5), torch.randn(2, 7, 5), torch.randn(2, 7, 5)
    for path in PATHS:
        torch.testing.assert_close(path(Q, K, V, causal=True), path(Q, K, V))


def test_pytorch_63560_the_batch_comes_first():
    layer, x = attn.MultiHeadAttention(8, 2), torch.randn(2, 5, 8)
    changed = x.clone()
    changed[1] += 1
    assert torch.equal(layer(x)[0], layer(changed)[0])


def test_pytorch_34537_47583_weights_have_a_head_axis():
    assert attn.MultiHeadAttention(8, 4).weights(torch.randn(3, 5, 8)).shape == (3, 4, 5, 5)


def test_pytorch_42929_weights_come_before_dropout():
    layer = attn.MultiHeadAttention(8, 2, dropout=0.9).train()
    torch.testing.assert_close(layer.weights(torch.randn(3, 5, 8)).sum(-1), torch.ones(3, 2, 5))


def test_happy_llm_161_scores_before_softmax_weights_after_it():
    Q, K = torch.randn(3, 5), torch.randn(7, 5)
    assert attn.attention_scores(Q, K).lt(0).any()
    torch.testing.assert_close(attn.attention_scores(Q, K).softmax(-1), attn.attention_weights(Q, K))


def test_nndl_469_the_values_are_outside_the_softmax():
    Q, K, V = torch.randn(3, 5), torch.randn(7, 5), torch.randn(7, 2)
    for path in PATHS:
        torch.testing.assert_close(path(Q, K, 2 * V), 2 * path(Q, K, V))


def test_minimind_104_neighbouring_heads_share():
    layer, x = attn.MultiHeadAttention(8, 4, num_kv_heads=2), torch.randn(3, 5, 8)
    Q, K = layer.W_q(x).unflatten(-1, (4, 2)).transpose(1, 2), layer.W_k(x).unflatten(-1, (2, 2)).transpose(1, 2)
    torch.testing.assert_close(layer.weights(x), attn.attention_weights(Q, K.repeat_interleave(2, dim=1)))
    V = layer.W_v(x).unflatten(-1, (2, 2)).transpose(1, 2)
    heads = F.scaled_dot_product_attention(Q, K, V, enable_gqa=True)
    torch.testing.assert_close(layer(x), layer.W_o(heads.transpose(1, 2).flatten(-2)))


@pytest.mark.parametrize("wrong", zoo.ZOO, ids=lambda wrong: wrong.__name__)
def test_each_reported_kind_of_wrong_attention_is_recognised(wrong):
    assert check_attention(wrong).mistakes == [wrong.__name__]

"""The layers: the article's formula bit for bit, torch's layers number for number."""

import inspect

import pytest
import reference
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import prune

from attn import (
    AdditiveAttention,
    MultiHeadAttention,
    SelfAttention,
    TransformerBlock,
    alibi,
    attention,
    causal_mask,
    fused_attention,
    padding_mask,
    rope,
    sinusoidal,
)


def test_the_articles_example_has_the_articles_loss():
    torch.manual_seed(42)
    x = torch.randn(4, 8)
    layer = SelfAttention(d_model=8)
    output = layer(x)
    loss = F.mse_loss(output, torch.randn_like(output))
    assert x.shape == output.shape == (4, 8)
    assert abs(loss.item() - 0.8152455687522888) < 1e-6


@pytest.mark.parametrize("size", [(4, 8), (2, 7, 8), (3, 2, 5, 8), (300, 8), (0, 8)])
def test_self_attention_is_the_written_out_formula_bit_for_bit(size):
    torch.manual_seed(1)
    layer, x = SelfAttention(8), torch.randn(size)
    a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
    Q, K, V = layer.W_q(b), layer.W_k(b), layer.W_v(b)
    scores = Q @ K.transpose(-2, -1) / (K.size(-1) ** 0.5)
    want = F.softmax(scores, dim=-1) @ V
    came = layer(a)
    assert torch.equal(came, want)
    gradients = torch.autograd.grad(came.sin().sum(), [a, *layer.parameters()])
    for mine, theirs in zip(gradients, torch.autograd.grad(want.sin().sum(), [b, *layer.parameters()]), strict=True):
        assert torch.equal(mine, theirs)


def test_self_attention_has_the_articles_parameters():
    layer = SelfAttention(5)
    names = ["W_q.weight", "W_q.bias", "W_k.weight", "W_k.bias", "W_v.weight", "W_v.bias"]
    assert [name for name, _ in layer.named_parameters()] == names
    assert list(inspect.signature(SelfAttention).parameters) == ["d_model"]
    assert list(inspect.signature(layer.forward).parameters) == ["x"]


def whole(*size):
    """Small whole numbers: sums and products of them are exact, in whatever order a machine takes them."""
    return torch.randint(-2, 3, size).float()


def torchs(d_model, num_heads, **options):
    layer = nn.MultiheadAttention(d_model, num_heads, batch_first=True, **options)
    for p in layer.parameters():
        p.data = whole(*p.shape)
    return layer


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("training", [True, False])
def test_from_torch_differs_by_exactly_nothing(bias, training):
    layer = torchs(12, 3, bias=bias).train(training)
    x, memory = whole(2, 5, 12), whole(2, 7, 12)
    mine = MultiHeadAttention.from_torch(layer)
    assert mine.training == training and (mine.W_q.bias is not None) == bias
    assert torch.equal(mine(x), layer(x, x, x, need_weights=False)[0])
    assert torch.equal(mine(x, memory), layer(x, memory, memory, need_weights=False)[0])
    theirs = layer(x, x, x, need_weights=False, attn_mask=~causal_mask(5))[0]
    torch.testing.assert_close(mine(x, causal=True), theirs)
    for mask in (torch.rand(2, 3, 5, 5) > 0.4, padding_mask(torch.tensor([[2], [5]]), 5)):
        blocked = ~mask.expand(2, 3, 5, 5).reshape(6, 5, 5)
        blocked[:, :, 0], mask = False, mask | (torch.arange(5) == 0)
        torch.testing.assert_close(mine(x, mask=mask), layer(x, x, x, need_weights=False, attn_mask=blocked)[0])


def test_from_torch_differs_by_exactly_nothing_at_a_usual_size():
    torch.manual_seed(0)
    layer = nn.MultiheadAttention(64, 4, batch_first=True).eval()
    x = torch.randn(1, 128, 64)
    with torch.enable_grad():
        difference = MultiHeadAttention.from_torch(layer)(x) - layer(x, x, x, need_weights=False)[0]
    assert difference.abs().max() < 1e-6


def test_from_torch_keeps_dtype_dropout_and_a_copy():
    layer = nn.MultiheadAttention(8, 2, dropout=0.25, dtype=torch.float64)
    mine = MultiHeadAttention.from_torch(layer)
    assert mine.W_q.weight.dtype == mine.W_o.bias.dtype == torch.float64
    assert mine.dropout == 0.25 and mine.num_heads == mine.num_kv_heads == 2
    before = mine.W_q.weight.clone()
    layer.in_proj_weight.data += 1
    assert torch.equal(mine.W_q.weight, before)

    class Mine(MultiHeadAttention):
        pass

    assert type(Mine.from_torch(layer)) is Mine


@pytest.mark.parametrize("bias", [True, False])
def test_from_torch_leaves_chance_alone_and_keeps_what_is_frozen(bias):
    layer = nn.MultiheadAttention(8, 2, bias=bias)
    layer.in_proj_weight.requires_grad_(False)
    state = torch.get_rng_state()
    with torch.device("meta"):
        mine = MultiHeadAttention.from_torch(layer)
    assert torch.equal(state, torch.get_rng_state())
    assert [W.weight.requires_grad for W in (mine.W_q, mine.W_k, mine.W_v, mine.W_o)] == [False, False, False, True]
    assert all(W.bias.requires_grad for W in (mine.W_q, mine.W_o)) if bias else mine.W_o.bias is None
    with torch.no_grad():
        free = MultiHeadAttention.from_torch(nn.MultiheadAttention(8, 2))
    assert all(p.requires_grad and p.is_leaf for p in free.parameters())


def test_from_torch_takes_pruned_and_parametrized_layers():
    x = torch.randn(2, 5, 8)
    for change in (lambda W: prune.l1_unstructured(W, "weight", 0.5), nn.utils.parametrizations.weight_norm):
        layer = nn.MultiheadAttention(8, 2, batch_first=True)
        change(layer.out_proj)
        torch.testing.assert_close(MultiHeadAttention.from_torch(layer)(x), layer(x, x, x, need_weights=False)[0])


def test_checks_do_not_compute_a_parametrized_weight():
    calls = []

    class Counted(nn.Module):
        def forward(self, weight):
            calls.append(weight)
            return weight

    layer = SelfAttention(8)
    nn.utils.parametrize.register_parametrization(layer.W_q, "weight", Counted(), unsafe=True)
    calls.clear()
    layer(torch.randn(5, 8))
    assert len(calls) == 1


def test_weights_may_be_plain_tensors():
    layer, x = SelfAttention(8), torch.randn(5, 8)
    want = layer(x)
    for W in (layer.W_q, layer.W_k, layer.W_v):  # as some tools keep them, who shard the parameters
        for name, p in [*W.named_parameters()]:
            delattr(W, name)
            setattr(W, name, p.detach())
    torch.testing.assert_close(layer(x), want)


def test_half_precision_overflows_in_the_articles_order_as_documented():
    x = torch.full((2, 4), 256.0, dtype=torch.float16)
    layer, other = SelfAttention(4).half(), MultiHeadAttention(4, 1).half()
    for p in (*layer.parameters(), *other.parameters()):
        nn.init.eye_(p) if p.ndim == 2 else nn.init.zeros_(p)
    assert layer(x).isnan().all() and other(x).eq(256).all()
    assert "float16" in SelfAttention.__doc__ and "MultiHeadAttention(d_model, 1)" in SelfAttention.__doc__


@pytest.mark.parametrize("causal", [False, True])
def test_weights_are_torchs_for_each_head(causal):
    layer = nn.MultiheadAttention(12, 3, batch_first=True).eval()
    mine, x, memory = MultiHeadAttention.from_torch(layer), torch.randn(2, 5, 12), torch.randn(2, 7, 12)
    blocked = ~causal_mask(5, 7) if causal else None
    _, weights = layer(x, memory, memory, average_attn_weights=False, attn_mask=blocked)
    torch.testing.assert_close(mine.weights(x, memory, causal=causal), weights)
    assert mine.weights(x).shape == (2, 3, 5, 5)


def test_gradients_are_torchs():
    layer = nn.MultiheadAttention(12, 3, batch_first=True)
    mine, x = MultiHeadAttention.from_torch(layer), torch.randn(2, 5, 12)
    layer(x, x, x, need_weights=False)[0].sin().sum().backward()
    mine(x).sin().sum().backward()
    packed = torch.cat([mine.W_q.weight.grad, mine.W_k.weight.grad, mine.W_v.weight.grad])
    torch.testing.assert_close(packed, layer.in_proj_weight.grad)
    torch.testing.assert_close(mine.W_o.weight.grad, layer.out_proj.weight.grad)


@pytest.mark.parametrize("num_kv_heads", [1, 2, 3, 6])
@pytest.mark.parametrize("causal", [False, True])
def test_grouped_heads_are_heads_with_repeated_keys_and_values(num_kv_heads, causal):
    grouped = MultiHeadAttention(12, 6, num_kv_heads=num_kv_heads)
    assert grouped.W_k.out_features == grouped.W_v.out_features == 2 * num_kv_heads
    full = MultiHeadAttention(12, 6)
    state = grouped.state_dict()
    for name in ("W_k.weight", "W_k.bias", "W_v.weight", "W_v.bias"):
        heads = state[name].unflatten(0, (num_kv_heads, 2))
        state[name] = heads.repeat_interleave(6 // num_kv_heads, dim=0).flatten(0, 1)
    full.load_state_dict(state)
    x, memory = torch.randn(2, 5, 12), torch.randn(2, 7, 12)
    torch.testing.assert_close(grouped(x, memory, causal=causal), full(x, memory, causal=causal))
    torch.testing.assert_close(grouped.weights(x, causal=causal), full.weights(x, causal=causal))


@pytest.mark.parametrize("num_kv_heads", [2, None])
def test_heads_are_those_of_the_loops(num_kv_heads):
    layer = MultiHeadAttention(12, 6, num_kv_heads=num_kv_heads).double()
    x, memory = torch.randn(3, 5, 12).double(), torch.randn(3, 7, 12).double()
    mask, bias = torch.rand(3, 1, 5, 7) > 0.3, torch.randn(6, 5, 7).double()
    options = {"mask": mask, "bias": bias, "causal": True}
    Q, K, V = layer.W_q(x), layer.W_k(memory), layer.W_v(memory)
    group = 6 // layer.num_kv_heads
    heads = []
    for h in range(6):
        q = Q[..., 2 * h : 2 * h + 2]
        k, v = (part[..., 2 * (h // group) : 2 * (h // group) + 2] for part in (K, V))
        heads.append(reference.output(q, k, v, mask=mask[:, 0], bias=bias[h], causal=True))
    torch.testing.assert_close(layer(x, memory, **options), layer.W_o(torch.cat(heads, dim=-1)))


@pytest.mark.parametrize("lead", [(), (2,), (0,), (2, 3)])
def test_any_leading_dimensions(lead):
    layer, block = MultiHeadAttention(8, 2), TransformerBlock(8, 2)
    x = torch.randn(*lead, 5, 8)
    for module in (layer, block):
        output = module(x, causal=True)
        assert output.shape == x.shape
        if lead:
            rows = x.reshape(-1, 5, 8)
            apart = [module(row, causal=True) for row in rows]
            torch.testing.assert_close(output.reshape(-1, 5, 8), torch.stack(apart) if apart else rows)
    assert layer.weights(x).shape == (*lead, 2, 5, 5)


def test_dropout_falls_on_the_weights_in_training_only():
    torch.manual_seed(0)
    layer, x = MultiHeadAttention(8, 2, dropout=0.5), torch.randn(3, 7, 8)
    assert not torch.equal(layer(x), layer(x))
    assert torch.equal(layer.weights(x), layer.weights(x))
    layer.eval()
    assert torch.equal(layer(x), layer(x))
    plain = MultiHeadAttention(8, 2)
    plain.load_state_dict(layer.state_dict())
    torch.testing.assert_close(layer(x), plain(x))


def test_dropout_keeps_the_mean():
    torch.manual_seed(0)
    Q, K, V = torch.zeros(5000, 2), torch.zeros(11, 2), torch.ones(11, 1)
    output = fused_attention(Q, K, V, dropout=0.3)
    assert abs(output.mean().item() - 1) < 0.02 and output.std() > 0.1
    share = 11 * 0.7 * output  # the weights that are left, counted
    assert (share - share.round()).abs().max() < 1e-4 and share.round().unique().numel() > 5


def test_a_block_is_torchs_pre_norm_layer():
    theirs = nn.TransformerEncoderLayer(12, 3, 20, 0.0, "gelu", batch_first=True, norm_first=True)
    mine = TransformerBlock(12, 3, d_ff=20)
    mine.attention = MultiHeadAttention.from_torch(theirs.self_attn)
    mine.norm_before_attention.load_state_dict({"weight": torch.rand(12), "bias": torch.rand(12)})
    mine.norm_before_feed_forward.load_state_dict({"weight": torch.rand(12), "bias": torch.rand(12)})
    theirs.norm1.load_state_dict(mine.norm_before_attention.state_dict())
    theirs.norm2.load_state_dict(mine.norm_before_feed_forward.state_dict())
    theirs.linear1.load_state_dict(mine.feed_forward[0].state_dict())
    theirs.linear2.load_state_dict(mine.feed_forward[3].state_dict())
    x = torch.randn(2, 5, 12)
    torch.testing.assert_close(mine(x), theirs(x))
    torch.testing.assert_close(mine(x, causal=True), theirs(x, src_mask=~causal_mask(5)))
    mask, bias = padding_mask(torch.tensor([[2], [5]]), 5), alibi(3, 5, 5)
    added = bias.expand(2, 3, 5, 5).masked_fill(~mask, -torch.inf).reshape(6, 5, 5)
    torch.testing.assert_close(mine(x, mask=mask, bias=bias), theirs(x, src_mask=added))


def test_a_block_is_two_thirds_feed_forward():
    block = TransformerBlock(64, 4, bias=False)
    assert not any("bias" in name for name, _ in block.named_parameters())
    feed = sum(p.numel() for p in block.feed_forward.parameters())
    both = feed + sum(p.numel() for p in block.attention.parameters())
    assert feed == 8 * 64**2 and both == 12 * 64**2
    grouped = TransformerBlock(64, 4, num_kv_heads=2)
    assert grouped.attention.num_kv_heads == 2


def test_dropout_of_a_block_falls_in_three_places():
    block, x = TransformerBlock(8, 2, dropout=0.5), torch.randn(3, 7, 8)
    assert block.attention.dropout == block.dropout.p == block.feed_forward[2].p == 0.5
    torch.manual_seed(0)
    assert not torch.equal(block(x), block(x))
    block.eval()
    assert torch.equal(block(x), block(x))
    block.train()
    block.attention.dropout, block.feed_forward[2].p = 0.0, 0.0
    block.feed_forward[3].weight.data *= 0  # leaves the branch of attention
    block.feed_forward[3].bias.data *= 0
    kept = (block(x) - x) / block.attention(block.norm_before_attention(x))
    assert ((kept - 2).abs().lt(1e-2) | kept.abs().lt(1e-3)).all()  # dropped, or doubled
    assert 0.2 < kept.abs().lt(1e-3).float().mean() < 0.8


@pytest.mark.parametrize("module", [SelfAttention(8), MultiHeadAttention(8, 2), TransformerBlock(8, 2)])
def test_without_positions_order_is_invisible(module):
    x, order = torch.randn(7, 8), torch.randperm(7)
    torch.testing.assert_close(module(x[order]), module(x)[order])
    far = x + sinusoidal(7, 8)
    assert not torch.allclose(module((x[order]) + sinusoidal(7, 8)), module(far)[order], atol=1e-3)


def test_additive_attention_is_its_formula():
    layer = AdditiveAttention(d_q=2, d_k=3, d_hidden=5).double()
    Q, K, V = torch.randn(2, 7, 2).double(), torch.randn(2, 11, 3).double(), torch.randn(2, 11, 4).double()
    scores = layer.scores(Q, K)
    assert scores.shape == (2, 7, 11)
    for b, i, j in ((0, 0, 0), (1, 6, 10), (0, 3, 7)):
        hidden = torch.tanh(layer.W_q.weight @ Q[b, i] + layer.W_k.weight @ K[b, j])
        torch.testing.assert_close(scores[b, i, j], layer.w_v.weight[0] @ hidden)
    torch.testing.assert_close(layer.weights(Q, K), scores.softmax(-1))
    torch.testing.assert_close(layer(Q, K, V), scores.softmax(-1) @ V)
    mask = torch.rand(1, 7, 11) > 0.4
    seen = scores.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num()
    torch.testing.assert_close(layer(Q, K, V, mask=mask), seen @ V)
    names = [name for name, _ in layer.named_parameters()]
    assert names == ["W_q.weight", "W_k.weight", "w_v.weight"]


def test_heads_are_attention_on_a_part_of_each_word():
    layer, x = MultiHeadAttention(8, 2), torch.randn(3, 5, 8)
    Q, K, V = layer.W_q(x), layer.W_k(x), layer.W_v(x)
    heads = [attention(Q[..., part], K[..., part], V[..., part]) for part in (slice(0, 4), slice(4, 8))]
    torch.testing.assert_close(layer(x), layer.W_o(torch.cat(heads, dim=-1)))
    mixed = sum(head @ layer.W_o.weight[:, 4 * i : 4 * i + 4].T for i, head in enumerate(heads)) + layer.W_o.bias
    torch.testing.assert_close(layer(x), mixed)


def test_positions_by_hand():
    table = sinusoidal(3, 4).double()
    angle = torch.tensor([[0.0, 0.0], [1.0, 0.01], [2.0, 0.02]]).double()
    torch.testing.assert_close(table[:, 0::2], angle.sin(), atol=1e-7, rtol=0)
    torch.testing.assert_close(table[:, 1::2], angle.cos(), atol=1e-7, rtol=0)
    assert sinusoidal(0, 4).shape == (0, 4) and sinusoidal(3, 4).dtype == torch.get_default_dtype()
    far = sinusoidal(100_001, 4)[100_000]
    torch.testing.assert_close(far[2].double(), torch.tensor(1000.0).double().sin(), atol=1e-6, rtol=0)
    turned = rope(torch.tensor([[1.0, 0.0, 0.0, 1.0]] * 3))
    want = torch.stack([angle[:, 0].cos(), angle[:, 0].sin(), -angle[:, 1].sin(), angle[:, 1].cos()], dim=-1)
    torch.testing.assert_close(turned.double(), want, atol=1e-6, rtol=0)


def test_rope_leaves_lengths_and_knows_distances_only():
    q, k = torch.randn(2, 3, 7, 6).double(), torch.randn(2, 3, 7, 6).double()
    torch.testing.assert_close(rope(q).norm(dim=-1), q.norm(dim=-1))
    assert torch.equal(rope(q)[..., 0, :], q[..., 0, :])
    near, far = rope(q) @ rope(k).mT, rope(q, 100) @ rope(k, 100).mT
    torch.testing.assert_close(near, far)
    torch.testing.assert_close(rope(q)[..., 4:, :], rope(q[..., 4:, :], start=4))
    assert rope(q[..., :0, :]).shape == (2, 3, 0, 6)
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        exact = rope(q.to(dtype).double(), 1000)
        assert rope(q.to(dtype), 1000).dtype == dtype
        torch.testing.assert_close(rope(q.to(dtype), 1000), exact.to(dtype))


def test_alibi_by_hand():
    bias = alibi(4, 3, 5)
    assert bias.shape == (4, 3, 5) and bias.dtype == torch.float32
    for head, slope in enumerate([1 / 4, 1 / 16, 1 / 64, 1 / 256]):
        for i in range(3):
            for j in range(5):
                assert bias[head, i, j].item() == pytest.approx(-slope * abs(i + 2 - j), abs=0)
    assert alibi(1, 0, 3).shape == (1, 0, 3)
    torch.testing.assert_close(alibi(3, 2, 2)[:, 0, 1], -(2.0 ** torch.tensor([-8 / 3, -16 / 3, -8])))


def test_alibi_goes_straight_into_every_path():
    layer, x = MultiHeadAttention(8, 2), torch.randn(3, 5, 8)
    bias = alibi(2, 5, 5)
    want = layer(x, bias=bias.expand(3, 2, 5, 5).contiguous())
    torch.testing.assert_close(layer(x, bias=bias), want)
    assert not torch.allclose(layer(x), want)

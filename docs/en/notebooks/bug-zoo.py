# %% [markdown]
# # The bug zoo: right shapes, wrong results { #bug-zoo }
#
# A wrong implementation of attention often raises no error: the shapes fit, it trains, the loss goes down. How would you find out?
#
# ```console
# pip install {{ wheel }}
# ```
#
# Eight wrong implementations live in this zoo, all of them mistakes that are easily made. Wrong means here: not what the formula of 2017 says. Some models do one of these on purpose. T5 leaves out the root and starts with a smaller $W_q$, words in [Reformer](../references.md#kitaev2020) don't look at themselves as long as there is anything else, and [Yang and others](../references.md#yang2022) divide by $d_k$.
#
# Suppose a right one computes answers with three matrices of its own, and each of the eight, wrong in one place only, learns from them for 100 steps, all from the same start.
#
# !!! question "Guess first"
#
#     Do their losses tell you which are wrong?
#
#     - yes: the wrong ones don't learn, their losses hardly fall
#     - yes: all losses fall, but each of the eight stops higher than the right one
#     - not all: some of the wrong ones fall as low as the right one

# %%
import torch

from attn import attention
from attn.labs.check import check_attention
from attn.labs.lineup import BUGS, suspect

torch.set_num_threads(1)
look = torch.ones(6, 6, dtype=torch.bool)
look[:, -1] = False                     # the last word is padding
options = {"num_heads": 2, "mask": look, "causal": True}


def train(bug):
    """Learn the task, and tell the loss of each step."""
    _ = torch.manual_seed(0)
    X = torch.randn(32, 6, 8)                                     # 32 sentences, 6 words, 8 numbers each
    teacher, student = torch.randn(2, 3, 8, 8) / 3                # W_q, W_k, W_v of each
    target = suspect("none")(*(X @ teacher[:, None]), **options)  # the answers of one without a mistake
    optimizer = torch.optim.Adam([student.requires_grad_()], lr=0.05)
    for _ in range(100):
        output = suspect(bug)(*(X @ student[:, None]), **options)
        loss = (output - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


last = {}
for bug in ("the right one", *BUGS):
    first, *_, last[bug] = train(bug)
    print(f"{first:.2f} → {last[bug]:.2f}  {bug}")

# %% [markdown]
# <!-- prints:
# 1.25 → 0.00  the right one
# 1.09 → 0.21  softmax_over_queries
# 1.40 → 0.00  no_scaling
# 1.20 → 0.00  scaling_by_d_model
# 1.30 → 0.37  heads_split_by_view
# 1.28 → 0.33  heads_merged_by_view
# 0.99 → 0.42  inverted_mask
# 1.15 → 0.28  hidden_diagonal
# 1.25 → 0.00  minus_1e9
# -->
#
# None raises an error, and all losses fall. Three end as low as the right one. Two of these are scaled wrongly, for which a larger or smaller $W_q$ makes up, and the last of the eight is right in float32. The others stop between 0.21 and 0.42, but without a right one beside them, who could say whether they are wrong or the task is hard?
#
# <!-- numbers: sorted(last.values())[4]; max(last.values()) -->
#
# So we need properties that the formula must have. At each cage, ask yourself first which Q, K and V would give away what sits in it, without a look at the source.
#
# ## First cage: the sums of weights { #row-sums }
#
# The weights are hidden inside. What should V hold, so that the output shows whether the weights of a query sum to 1? Ones: then the output is their sum. Here are the six queries of the first sentence:

# %%
from attn.labs.zoo import softmax_over_queries

_ = torch.manual_seed(0)
Q, K, V = (torch.randn(2, 6, 8) for _ in range(3))    # 2 sentences, 6 words, 8 numbers each
ones = torch.ones_like(V)
for fn in (attention, softmax_over_queries):
    print(*(f"{total:.2f}" for total in fn(Q, K, ones)[0, :, 0]), f" {fn.__name__}")

# %% [markdown]
# <!-- prints:
# 1.00 1.00 1.00 1.00 1.00 1.00  attention
# 1.06 1.15 1.63 0.93 0.80 0.43  softmax_over_queries
# -->
#
# ??? success "What is wrong with it"
#
#     Its softmax runs over the queries: each column sums to 1, not each row.
#
#     <!-- source: labs.zoo.softmax_over_queries -->
#
# ## Second cage: the scale { #scale }
#
# How can an output tell what the scores were divided by? With one key the weight is 1 whatever the score. Take two, the first with value 1 and the second with value 0. The output is then the first key's weight, which gives the difference of the two scores; divide the difference of the dot products by it, and you have the number.

# %%
from attn.labs.zoo import no_scaling, scaling_by_d_model


def divided_by(fn, d_k=8, **options):
    """What the first head divides its scores by: the gap of the products over the gap that the weights show."""
    products = Q[0, 0, :d_k] @ K[0, :2, :d_k].T
    pick = torch.tensor([1.0, 0.0])[:, None].expand(2, 2, 8)    # value 1 for the first key, 0 for the second
    weight = fn(Q[:, :1], K[:, :2], pick, **options)[0, 0, 0]
    return (products[0] - products[1]) / (weight / (1 - weight)).log()


for fn in (attention, no_scaling, scaling_by_d_model):
    print(f"{divided_by(fn):.2f}  {fn.__name__}")
print(f"{divided_by(scaling_by_d_model, d_k=2, num_heads=4):.2f}  scaling_by_d_model, num_heads=4")

# %% [markdown]
# <!-- prints:
# 2.83  attention
# 1.00  no_scaling
# 2.83  scaling_by_d_model
# 2.83  scaling_by_d_model, num_heads=4
# -->
#
# With one head `scaling_by_d_model` divides by $\sqrt{8}$ or 2.83, as the formula does, and `no_scaling` by 1. With four heads each key has 2 numbers and the divisor should be $\sqrt{2}$ or 1.41, but it still is $\sqrt{d_\text{model}}$. A test with one head won't find this one.
#
# <!-- numbers: Q.size(-1)**0.5; (Q.size(-1) / 4)**0.5 -->
#
# ## Third cage: the heads { #heads }
#
# A head works on its own part of Q, K and V. If the second half of all three is replaced, how much may the first of two heads change? Not at all. `scaling_by_d_model` cuts its heads correctly and serves for comparison; printed is the largest change in the first half of the output:

# %%
from attn.labs.zoo import heads_merged_by_view, heads_split_by_view

changed = [torch.cat([x[..., :4], torch.randn(2, 6, 4)], dim=-1) for x in (Q, K, V)]    # the second half only
for fn in (scaling_by_d_model, heads_split_by_view, heads_merged_by_view):
    before, after = (fn(*x, num_heads=2)[..., :4] for x in ((Q, K, V), changed))
    print(f"{(after - before).abs().max():.2f}  {fn.__name__}")

# %% [markdown]
# <!-- prints:
# 0.00  scaling_by_d_model
# 1.47  heads_split_by_view
# 1.16  heads_merged_by_view
# -->
#
# ??? success "What is wrong with them"
#
#     `view` only cuts memory anew, in its old order. To split into heads, first cut the axis of features, then swap two axes; to merge, swap back first, then flatten. Without the swap a head gets scraps of different words. More in [several heads](../deeper/multi-head.md).
#
#     <!-- source: labs.zoo.heads_split_by_view -->
#
# ## Fourth cage: masks { #masks }
#
# Hide the last word and add 1 to its value: the output must not change. Under a causal mask, though, the last word sees itself, so the same must change its output. By how much does it?

# %%
from attn.labs.zoo import hidden_diagonal, inverted_mask

mask = torch.ones(1, 6, 6, dtype=torch.bool)
mask[..., -1] = False                        # the last word is padding
other = V.clone()
other[:, -1] += 1
for fn, options in (
    (attention, {"mask": mask}), (inverted_mask, {"mask": mask}),
    (attention, {"causal": True}), (hidden_diagonal, {"causal": True}),
):
    change = fn(Q, K, other, **options) - fn(Q, K, V, **options)
    print(f"{change[0, -1, 0]:.2f}  {fn.__name__}, {', '.join(options)}")

# %% [markdown]
# <!-- prints:
# 0.00  attention, mask
# 1.00  inverted_mask, mask
# 0.11  attention, causal
# 0.00  hidden_diagonal, causal
# -->
#
# `inverted_mask` looks at nothing but the hidden word, so its output changes by all of 1. In `hidden_diagonal` the last word doesn't see itself, and its own value can change without a trace: the triangle is off by one.
#
# ## Fifth cage: half precision { #half }
#
# Sometimes there is nothing a query may look at, as when a whole sentence is padding. What does it get from the last of the eight, in float32 (left) and in float16 (right)?

# %%
from attn.labs.zoo import minus_1e9

blind = torch.zeros(1, 6, 6, dtype=torch.bool)    # nobody may look at anything
half = [x.half() for x in (Q, K, V)]
for fn in (attention, minus_1e9):
    print(*(f"{fn(*x, mask=blind)[0, 0, 0]:.2f}" for x in ((Q, K, V), half)), f" {fn.__name__}")

# %% [markdown]
# <!-- prints:
# 0.00 0.00  attention
# 0.17 nan  minus_1e9
# -->
#
# float16 ends at 65504, so minus a billion becomes $-\infty$ when it is added to the scores (`masked_fill` refuses it with an error); and a row of nothing but $-\infty$ makes softmax return NaN. `attention` adds no "large negative number". It fills with the lowest finite number of the format at hand, and then sets those weights to 0.
#
# ## Let it speak for itself { #check }
#
# All these properties of the formula, and some more, are gathered in `check_attention`. Hand it a function of yours, and it tries them one by one and names the likely mistake:

# %%
print(check_attention(no_scaling, language="en"))

# %% [markdown]
# <!-- prints:
# ✓ the output is (…, n, d_v)
# ✓ the weights of each query sum to 1
# ✗ the weights are softmax(QKᵀ/√d_k)
#   → the scores are not divided by √d_k
# ✓ the output is weights · V
# ✓ the order of the keys does not matter
# ✓ large scores do not overflow
# ✓ leading dimensions do not mix
# – each head works on its own part of Q, K and V
#   → not tried: it takes no `num_heads`
# – a query looks exactly where mask is True
#   → not tried: it takes no `mask`
# – no word sees a later one, each sees itself
#   → not tried: it takes no `causal`
# ✓ float16 gives about the same
# ✓ the same inputs give the same output, and stay as they are
# 8 of 9 checks found nothing wrong.
# -->
#
# Hand it the other seven, and each is called by its name. But a check is only as good as the inputs it tries. Here are two functions that anyone would pass who tests with values of eight numbers and keys of eight, because then $\sqrt{8}$ is right. And a causal mask that begins in the upper left corner looks right as long as there are as many queries as keys. On our Q, K and V none of the three differs from `attention`. `check_attention` tries sizes that all differ, and so it knows them:

# %%
def by_eight(Q, K, V):
    return (Q @ K.mT / 8**0.5).softmax(dim=-1) @ V


def by_values(Q, K, V):
    return (Q @ K.mT / V.size(-1)**0.5).softmax(dim=-1) @ V


def upper_left(Q, K, V, causal=False):
    scores = Q @ K.mT / K.size(-1)**0.5
    future = torch.ones_like(scores).triu(1).bool() & causal
    return scores.masked_fill(future, torch.finfo(scores.dtype).min).softmax(dim=-1) @ V


for fn, options in (by_eight, {}), (by_values, {}), (upper_left, {"causal": True}):
    difference = fn(Q, K, V, **options) - attention(Q, K, V, **options)
    print(f"{difference.abs().max():.2f}  {fn.__name__}:", *check_attention(fn).mistakes)

# %% [markdown]
# <!-- prints:
# 0.00  by_eight: scaling_by_a_constant
# 0.00  by_values: scaling_by_d_v
# 0.00  upper_left: first_lined_up
# -->
#
# If your attention lives in a file of its own, ask from the command line, which answers in the language of your system, or in the one you ask for:
#
# ```console
# python -m attn.check mine.py
# ```
#
# !!! note "What this page simplifies"
#
#     If `check_attention` finds nothing wrong, it has found nothing wrong in the few small inputs that it tried, and that is no proof. It looks at no gradients, and extreme sizes, other devices and compiled code need tests of their own.
#
# ## Who broke out? { #detective }
#
# Now the other way around. One of the eight has broken out; each of them sits in an attention that does everything else right, so only the tests can tell. Choose them well: which test splits the suspects into two halves?
#
# ```figure module="detective"
# title: Which bug broke out?
# description: A table of eight bugs and eleven tests, with a tick where a bug passes a test and a cross where it fails.
# names:
#   softmax_over_queries: softmax over the queries
#   no_scaling: no scaling
#   scaling_by_d_model: scaled by √d_model
#   heads_split_by_view: heads split by view
#   heads_merged_by_view: heads merged by view
#   inverted_mask: mask inverted
#   hidden_diagonal: diagonal hidden
#   minus_1e9: filled too low for float16
# tests:
#   rows: the weights of a row sum to 1
#   scale: one head, scores divided by √dₖ
#   shuffle: keys shuffled, same output
#   large: huge scores, still finite
#   mask: a hidden key may hold anything
#   future: later words change nothing
#   itself: the first word sees itself
#   half: float16 and an empty row, no NaN
#   heads_scale: two heads, scores divided by √dₖ
#   heads_shuffle: two heads, keys shuffled, same output
#   heads_apart: one head's input leaves the other alone
# choose: Choose a test
# accuse: Name the culprit
# again: another case
# start: One of the eight has broken out, and passes all tests of shapes. Find it in as few tests as you can.
# passed: "Passed: “{test}”. {left} of the eight still fit."
# failed: "Failed: “{test}”. {left} of the eight still fit."
# right: "Right, it is “{name}”, named after {used} tests. Whoever chooses best needs {average} on average and {worst} at most."
# wrong: "No, it was “{name}”, not “{accused}”."
# early: Some luck was in it, as others still fit.
# out: "{name}, ruled out"
# ```
#
# <!-- numbers: attention(Q, K, ones)[0, 0, 0].round(decimals=6) -->
#
# ## In short { #in-short }
#
# A falling loss doesn't tell a right implementation from a wrong one, and some wrong ones even end where the right one does. So test properties: most mistakes break one that the formula of 2017 must have, and with a well-chosen Q, K and V a line of code gives them away.
#
# ## Exercises { #exercises }
#
# **Exercise 1.** The check of the first cage fills V with ones. How many of the other seven would it catch, too, and why?
#
# ??? success "Answer"
#
#     None. The other seven take their softmax over the keys, so each row of weights sums to 1, whatever the scores; and as V is the same everywhere, wrongly cut heads don't show either. A property catches only what breaks it.
#
#     ```pycon
#     >>> from attn.labs.zoo import ZOO
#     >>> [wrong.__name__ for wrong in ZOO if not wrong(Q, K, ones).allclose(ones)]
#     ['softmax_over_queries']
#     ```
#
# **Exercise 2.** Write a right one without `softmax`, from `exp` and sums alone. What must you watch out for, to pass every check?
#
# ??? success "Answer"
#
#     Subtract each row's largest score first; otherwise `exp` overflows as soon as scores are large.
#
#     ```pycon
#     >>> def mine(Q, K, V):
#     ...     scores = Q @ K.mT / K.size(-1)**0.5
#     ...     powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
#     ...     return powers / powers.sum(dim=-1, keepdim=True) @ V
#     >>> check_attention(mine).mistakes
#     []
#     ```
#
# Next: [references](../references.md).

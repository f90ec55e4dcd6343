# %% [markdown]
# # The bug zoo: right shapes, wrong results { #bug-zoo }
#
# A wrong implementation of attention often raises no error: the shapes fit, it trains, the loss goes down. How would you find out?
#
# ```console
# pip install {{ wheel }}
# ```
#
# Eight wrong implementations live in this zoo, and all of them are mistakes that are easily made. Wrong means here: not what the formula of 2017 says. Some models do one of these on purpose. The code of T5 leaves out the root and starts with a smaller $W_q$ instead, words in [Reformer](../references.md#kitaev2020) don't look at themselves as long as there is anything else, and [Yang and others](../references.md#yang2022) divide by $d_k$. The outputs of all eight have the right shape:

# %%
import torch

from attn import attention
from attn.labs.check import check_attention
from attn.labs.zoo import ZOO

_ = torch.manual_seed(0)
Q, K, V = (torch.randn(2, 6, 8) for _ in range(3))    # 2 sentences, 6 words, 8 numbers each
for wrong in ZOO:
    print(wrong.__name__, wrong(Q, K, V).shape == attention(Q, K, V).shape)

# %% [markdown]
# <!-- prints:
# softmax_over_queries True
# no_scaling True
# scaling_by_d_model True
# heads_split_by_view True
# heads_merged_by_view True
# inverted_mask True
# hidden_diagonal True
# minus_1e9 True
# -->
#
# !!! question "Guess first"
#
#     Before you open a cage, ask yourself **which property** of the formula would show that what sits in it is wrong, without a look at the source.
#
# ## First cage: the sums of weights { #row-sums }
#
# Let $V$ be all ones. The weights of each query sum to 1, so the output must be all ones, too:

# %%
from attn.labs.zoo import softmax_over_queries

ones = torch.ones_like(V)
print(attention(Q, K, ones).allclose(ones))
print(softmax_over_queries(Q, K, ones).allclose(ones))

# %% [markdown]
# <!-- prints:
# True
# False
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
# With one key the weight is 1 whatever the score, so it shows nothing. With two keys you can read the weights off the output, and from the weights the scores, because by the formula the two scores differ by the difference of the dot products divided by $\sqrt{d_k}$.

# %%
from attn.labs.zoo import no_scaling, scaling_by_d_model


def score_gap(fn):
    """How far the scores of two keys are apart, from their weights: the logarithm of w₁/w₂."""
    pick = torch.tensor([[[1.0], [0.0]]] * 2)    # value 1 for the first key, 0 for the second
    weight = fn(Q[:, :1], K[:, :2], pick).flatten()
    return (weight / (1 - weight)).log()


gap = (Q[:, 0] * (K[:, 0] - K[:, 1])).sum(dim=-1)
print(score_gap(attention).allclose(gap / 8**0.5, atol=1e-4))
print(score_gap(no_scaling).allclose(gap, atol=1e-4))

# %% [markdown]
# <!-- prints:
# True
# True
# -->
#
# The second line says that `no_scaling` divides its scores by nothing at all. The other one hides better: with one head it is right, and only several heads give it away, because it divides by $\sqrt{d_\text{model}}$ where the keys of a head have size $d_\text{model}/h$:

# %%
one = [x.unflatten(-1, (4, 2)).transpose(1, 2) for x in (Q, K, V)]        # 4 heads of size 2
right = attention(*one).transpose(1, 2).flatten(-2)
print(scaling_by_d_model(Q, K, V).allclose(attention(Q, K, V), atol=1e-6))
print(scaling_by_d_model(Q, K, V, num_heads=4).allclose(right, atol=1e-6))

# %% [markdown]
# <!-- prints:
# True
# False
# -->
#
# ## Third cage: the heads { #heads }
#
# A head works on its own part of Q, K and V. So with two heads, whatever happens to the second half of all three, the first half of the output must stay as it was. `scaling_by_d_model` from the second cage cuts its heads correctly and serves for comparison:

# %%
from attn.labs.zoo import heads_merged_by_view, heads_split_by_view

changed = [torch.cat([x[..., :4], torch.randn(2, 6, 4)], dim=-1) for x in (Q, K, V)]    # the second half only
for fn in (scaling_by_d_model, heads_split_by_view, heads_merged_by_view):
    before, after = (fn(*x, num_heads=2)[..., :4] for x in ((Q, K, V), changed))
    print(fn.__name__, torch.equal(before, after))

# %% [markdown]
# <!-- prints:
# scaling_by_d_model True
# heads_split_by_view False
# heads_merged_by_view False
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
# Change the value of a hidden word, and the output must not change. Conversely, change the value of a word that sees itself, and its output must change:

# %%
from attn.labs.zoo import hidden_diagonal, inverted_mask

mask = torch.ones(1, 6, 6, dtype=torch.bool)
mask[..., -1] = False                        # the last word is padding
other = V.clone()
other[:, -1] += 1
for fn in (attention, inverted_mask):
    print(fn.__name__, torch.equal(fn(Q, K, V, mask=mask), fn(Q, K, other, mask=mask)))
for fn in (attention, hidden_diagonal):
    print(fn.__name__, torch.equal(fn(Q, K, V, causal=True)[:, -1], fn(Q, K, other, causal=True)[:, -1]))

# %% [markdown]
# <!-- prints:
# attention True
# inverted_mask False
# attention False
# hidden_diagonal True
# -->
#
# `inverted_mask` looks at nothing but the hidden word. In `hidden_diagonal` the last word doesn't see itself, so its own value can change without a trace: the triangle is off by one.
#
# ## Fifth cage: half precision { #half }
#
# Sometimes there is nothing a query may look at, as when a whole sentence is padding. In float32 the last of the eight still returns numbers, but in float16 the bottom falls out:

# %%
from attn.labs.zoo import minus_1e9

blind = torch.zeros(1, 6, 6, dtype=torch.bool)    # nobody may look at anything
half = [x.half() for x in (Q, K, V)]
for fn in (attention, minus_1e9):
    print(fn.__name__, [fn(*x, mask=blind).isfinite().all().item() for x in ((Q, K, V), half)])

# %% [markdown]
# <!-- prints:
# attention [True, True]
# minus_1e9 [True, False]
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
# Now all eight in a row, and each is called by its name:

# %%
for wrong in ZOO:
    named = {name for finding in check_attention(wrong).findings for name in finding.mistakes}
    print(wrong.__name__, wrong.__name__ in named)

# %% [markdown]
# <!-- prints:
# softmax_over_queries True
# no_scaling True
# scaling_by_d_model True
# heads_split_by_view True
# heads_merged_by_view True
# inverted_mask True
# hidden_diagonal True
# minus_1e9 True
# -->
#
# A check is as good as the inputs it tries. Here are two functions that anyone would pass who tests with values of eight numbers and keys of eight, because then $\sqrt{8}$ is right. And a causal mask that begins in the upper left corner looks right as long as there are as many queries as keys. `check_attention` tries sizes that all differ:

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
    right = attention(Q, K, V, **options)
    print(fn(Q, K, V, **options).allclose(right, atol=1e-6), check_attention(fn).mistakes)

# %% [markdown]
# <!-- prints:
# True ['scaling_by_a_constant']
# True ['scaling_by_d_v']
# True ['first_lined_up']
# -->
#
# !!! note "What this page simplifies"
#
#     If `check_attention` finds nothing wrong, it has found nothing wrong in the few small inputs that it tried, and that is no proof. It looks at no gradients, and extreme sizes, other devices and compiled code need tests of their own.
#
# ## In short { #in-short }
#
# A falling loss doesn't tell a right implementation from a wrong one. So test properties: most mistakes break one that the formula of 2017 must have, and once you know which, a line of code gives the mistake away.
#
# If your attention lives in a file of its own, you need not write any of this. The command line asks the same questions of it and answers in the language of your system, or in the one you ask for:
#
# ```console
# python -m attn.check mine.py
# ```
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
# ## Exercises { #exercises }
#
# **Exercise 1.** Write an attention that multiplies by $\sqrt{d_k}$ instead of dividing. What will `check_attention` say?
#
# ??? success "Answer"
#
#     It knows this one:
#
#     ```pycon
#     >>> def upside_down(Q, K, V):
#     ...     return (Q @ K.mT * K.size(-1)**0.5).softmax(dim=-1) @ V
#     >>> [finding.mistakes for finding in check_attention(upside_down).findings if finding.holds is False]
#     [('scaling_upside_down',)]
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
#     >>> any(finding.holds is False for finding in check_attention(mine).findings)
#     False
#     ```
#
# Next: [references](../references.md).

# %% [markdown]
# # Practice: write attention yourself { #practice }
#
# To have understood a thing is one matter, to write it is another. This page takes attention apart into seven pieces of a few lines each, and you write them. Run a piece, and it answers at once whether it is right; if it is not, it will often know which slip it was. The seven together are what matters most in a model that goes on with sentences.
#
# You can't type into the cells of a page, so download this one as a Jupyter notebook (the link is at its foot) and open it on your own machine, or in the online notebook that you like. Wherever a cell says `...`, it is your turn.
#
# !!! question "Guess first"
#
#     Which of the pieces is easiest to get wrong without an error?
#
#     - the scores, by leaving out $\sqrt{d_k}$
#     - the mask, by hiding the wrong side or the word itself
#     - the heads, where the shape comes out right and the contents are mixed up
#
# ```console
# pip install {{ wheel }}
# ```
#
# ## How it answers { #how }
#
# First hear how it talks. These scores are not divided by the root:

# %%
import torch

from attn.labs.practice import practice


def scores(Q, K):
    return Q @ K.T


print(practice("scores", scores, "en"))

# %% [markdown]
# <!-- prints:
# scores: the scores are not divided by √d_k
# -->
#
# It doesn't only say that something is wrong, it knows what. Where it doesn't, it shows the first wrong number and what it should have been. Of a piece that is still to be written it just says so.
#
# ## Scores { #scores }
#
# $Q$ is $n \times d_k$ and $K$ is $m \times d_k$. Give the scaled scores, a row for each query and a column for each key.

# %%
def scores(Q, K):
    ...  # your turn


print(practice("scores", scores, "en"))

# %% [markdown]
# <!-- prints:
# scores: still to be written, it gives nothing
# -->
#
# ??? success "Answer"
#
#     ```pycon
#     >>> def scores(Q, K):
#     ...     return Q @ K.T / K.size(-1) ** 0.5
#     ...
#     >>> print(practice("scores", scores, "en"))
#     scores: right, for all 3 inputs
#     ```
#
#     A row of queries meets a row of keys, and the result is divided by the root of a key's length; see [by hand](../by-hand.md#transpose).
#
# ## Weights { #weights }
#
# Turn each row of scores into weights, positive numbers that sum to 1. Don't use a ready-made softmax; write it with `exp` and `sum`.

# %%
def weights(scores):
    ...  # your turn


print(practice("weights", weights, "en"))

# %% [markdown]
# <!-- prints:
# weights: still to be written, it gives nothing
# -->
#
# ??? success "Answer"
#
#     ```pycon
#     >>> def weights(scores):
#     ...     powers = scores.exp()
#     ...     return powers / powers.sum(dim=-1, keepdim=True)
#     ...
#     >>> print(practice("weights", weights, "en"))
#     weights: right, for all 3 inputs
#     ```
#
#     Exponentials make the numbers positive, and dividing by their sum makes a row sum to 1. `keepdim=True` keeps the sum in its place, so that each row is divided by its own.
#
# ## The mix { #mix }
#
# Mix the rows of $V$ by the weights, and give the new vector of each query.

# %%
def mix(weights, V):
    ...  # your turn


print(practice("mix", mix, "en"))

# %% [markdown]
# <!-- prints:
# mix: still to be written, it gives nothing
# -->
#
# ??? success "Answer"
#
#     ```pycon
#     >>> def mix(weights, V):
#     ...     return weights @ V
#     ...
#     >>> print(practice("mix", mix, "en"))
#     mix: right, for all 3 inputs
#     ```
#
#     A query has a row of weights, and this row times $V$ is the weighted sum.
#
# ## No looking ahead { #hide }
#
# The scores are square, and row $i$ is the look of word $i$. Hide the later words: give scores of which softmax will make weights of exactly 0 there.

# %%
def hide(scores):
    ...  # your turn


print(practice("hide", hide, "en"))

# %% [markdown]
# <!-- prints:
# hide: still to be written, it gives nothing
# -->
#
# ??? success "Answer"
#
#     ```pycon
#     >>> def hide(scores):
#     ...     later = torch.ones_like(scores, dtype=torch.bool).triu(1)
#     ...     return scores.masked_fill(later, -torch.inf)
#     ...
#     >>> print(practice("hide", hide, "en"))
#     hide: right, for all 3 inputs
#     ```
#
#     `triu(1)` is what lies above the diagonal, the later words; on the diagonal a word looks at itself and may. It must be $-\infty$ and not 0, because $e^0$ is 1.
#
# ## Heads { #split }
#
# $x$ holds $n$ words of $d$ numbers. Share out the numbers of each word among the heads, and give three axes: heads, words, numbers of a head.

# %%
def split(x, num_heads):
    ...  # your turn


print(practice("split", split, "en"))

# %% [markdown]
# <!-- prints:
# split: still to be written, it gives nothing
# -->
#
# ??? success "Answer"
#
#     ```pycon
#     >>> def split(x, num_heads):
#     ...     return x.reshape(len(x), num_heads, -1).transpose(0, 1)
#     ...
#     >>> print(practice("split", split, "en"))
#     split: right, for all 3 inputs
#     ```
#
#     Cut each word first, and then bring the axis of heads to the front. A bare `reshape` to the final shape would give a head pieces of several words, and the shape would not tell.
#
# ## A block { #block }
#
# Attention, the feed-forward network and the normalization are given, as functions. Join them into a block: norm and look, and add what was seen; norm and think, and add what was thought.

# %%
def block(x, attention, feed_forward, norm):
    ...  # your turn


print(practice("block", block, "en"))

# %% [markdown]
# <!-- prints:
# block: still to be written, it gives nothing
# -->
#
# ??? success "Answer"
#
#     ```pycon
#     >>> def block(x, attention, feed_forward, norm):
#     ...     x = x + attention(norm(x))
#     ...     return x + feed_forward(norm(x))
#     ...
#     >>> print(practice("block", block, "en"))
#     block: right, for all 3 inputs
#     ```
#
#     Both times it is added back, which is the residual connection; see [the Transformer](../transformer.md#block).
#
# ## The cache { #step }
#
# The model has written a word. The cache holds the $K$ and $V$ of the words before; `q`, `k` and `v` are the new word's query, key and value, a row each. Give the output of the new word, and the $K$ and $V$ with the new word in them.

# %%
def step(K, V, q, k, v):
    ...  # your turn


print(practice("step", step, "en"))

# %% [markdown]
# <!-- prints:
# step: still to be written, it gives nothing
# -->
#
# ??? success "Answer"
#
#     ```pycon
#     >>> def step(K, V, q, k, v):
#     ...     K, V = torch.cat([K, k]), torch.cat([V, v])
#     ...     output = mix(weights(scores(q, K)), V)
#     ...     return output, K, V
#     ...
#     >>> print(practice("step", step, "en"))
#     step: right, for all 3 inputs
#     ```
#
#     Append first, since the new word looks at itself, too. Nothing of the old words is computed again; see [the KV cache](../deeper/kv-cache.md).
#
# ## All together { #together }
#
# With seven right pieces, all of attention is in your hands. The last task has no single answer: from your `split`, `scores`, `hide`, `weights` and `mix` write a causal attention with several heads, save it as `mine.py`, and let the command line examine it, property by property:
#
# ```console
# python -m attn.check mine.py
# ```
#
# It looks at more than the pieces, for example whether large scores overflow, and whether half precision is still right. The eight functions of the [bug zoo](bug-zoo.py) are those that don't pass.
#
# ## In short { #in-short }
#
# Attention is a few short pieces of code: scores, weights and the mix, and then hiding what comes later, cutting into heads, adding back, and remembering. Any of them can be wrong without an error, so check it by numbers and not by whether it runs.
#
# ## Exercises { #exercises }
#
# **Exercise 1.** The answer above appends a row by `cat` at each step. In a sentence of 1000 words, how many rows are moved altogether, and how could one avoid it?
#
# <!-- numbers: words -->
#
# ??? success "Answer"
#
#     One row at the first step, two at the second, and so on to 1000, about half a million in all. The way out is to make room for 1000 rows at the start and fill in one at a time, which is what `KVCache` in `attn` does.
#
#     ```pycon
#     >>> words = 1000
#     >>> sum(range(1, words + 1))
#     500500
#     ```
#
# Next: [frequent questions](../questions.md).

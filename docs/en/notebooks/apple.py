# %% [markdown]
# # The apple lab: attention learns where to look { #apple }
#
# In [Which apple?](../which-apple.md) the vectors were set by hand. Now set nothing and give only sentences and answers: will attention find the clues "eating" and "computers" by itself?
#
# **In one line**: yes. One small layer of self-attention reads a few hundred sentences, trains for a second or two, and then tells fruit from company in sentences it has never seen, looking at just the right word.
#
# ```console
# pip install {{ wheel }}
# ```
#
# !!! question "Guess first"
#
#     Three rivals: one sees only the word "apple" itself; one averages all words of the sentence alike; one has attention but doesn't know where the words stand. Which of the three can tell fruit from company, too?
#
# ## A few hundred sentences { #corpus }
#
# "Apple" and "blackberry" have two meanings each. A clause holds exactly one clue: a verb before the word (eat, boil; fund, acquire) or a noun after it (pie, jam; computers, phones). Six sentences in ten have a second clause, where another word has the other meaning, so it isn't enough to notice that "eat" stands somewhere in the sentence.

# %%
import torch

from attn.labs.senses import SENSES, accuracy, corpus, demos, flips, heaviest, learn, mirrored, senses_of

torch.set_num_threads(1)
train = corpus("en")
held_out = [r for r in corpus("en", 800, seed=1) if r not in set(train)]
for r in train[:3]:
    print(" ".join(r.words), "|", r.words[r.at], "→", r.sense)
print(len(train), len(set(demos("en")) & set(train)))

# %% [markdown]
# <!-- prints:
# farmers prefer washing apple , teachers buy blackberry phones | apple → fruit
# farmers prefer washing apple , teachers buy blackberry phones | blackberry → company
# farmers buy apple headphones , you enjoy eating blackberry | apple → company
# 400 0
# -->
#
# 400 readings, and none of the sentences that this page is going to show.
#
# ## Training { #train }
#
# Words become vectors, go through one layer of self-attention with a bias for distance ([ALiBi](../deeper/order.md)), and a linear layer picks one of two meanings. This is all the code that learns:
#
# <!-- source: labs.senses.learn -->

# %%
model = learn("en")
print(accuracy(model, held_out) > 0.99)
for r, sense, at in zip(demos("en"), senses_of(model, demos("en")), heaviest(model, demos("en")), strict=True):
    print(" ".join(r.words), "|", r.words[r.at], "→", sense, "|", r.words[at])

# %% [markdown]
# <!-- prints:
# True
# i like eating apple | apple → fruit | eating
# i use apple computers | apple → company | computers
# i like using apple computers | apple → company | computers
# i eat apple | apple → fruit | eat
# i eat apple , they use blackberry phones | apple → fruit | eat
# i eat apple , they use blackberry phones | blackberry → company | phones
# i eat blackberry , they use apple phones | blackberry → fruit | eat
# i eat blackberry , they use apple phones | apple → company | phones
# we fund apple , i boil blackberry | apple → company | fund
# we fund apple , i boil blackberry | blackberry → fruit | boil
# we boil blackberry jam , i fund apple | blackberry → fruit | jam
# we boil blackberry jam , i fund apple | apple → company | fund
# -->
#
# The last word of each line is the one it looks at hardest. The sentences are new, the answers all right, and the words looked at are the clues.
#
# ```figure module="senses"
# title: What apple looks at after training (fruit)
# description: Four words, i like eating apple. Of the lines from apple, the one to eating is by far the thickest.
# caption: The weights after training. In i like eating apple, apple looks at eating.
# language: en
# sentence: [i, like, eating, apple]
# ```
#
# ```figure module="senses"
# title: What apple looks at after training (company)
# description: Four words, i use apple computers. Of the lines from apple, the one to computers is by far the thickest.
# caption: In another sentence the same apple looks at computers.
# language: en
# sentence: [i, use, apple, computers]
# ```
#
# Before they see their context, the two apples are one and the same vector, with a cosine of 1; afterward they point in nearly opposite directions:

# %%
fruit, company = demos("en")[:2]
with torch.no_grad():
    before = [model.vectors([r.words])[0, r.at] for r in (fruit, company)]
    after = [model.mixed([r])[0] for r in (fruit, company)]
print(f"{torch.cosine_similarity(*before, dim=0):.2f}")
print(torch.cosine_similarity(*after, dim=0) < -0.9)

# %% [markdown]
# <!-- prints:
# 1.00
# tensor(True)
# -->
#
# ## The three rivals { #controls }
#
# Make the question harder: pairs of sentences with exactly the same words, in which "apple" and "blackberry" have changed places, such as "i eat apple, they use blackberry phones" and "i eat blackberry, they use apple phones".

# %%
pairs = mirrored("en")
for context in ("alone", "bag", "unordered", "attention"):
    rival = model if context == "attention" else learn("en", context)
    print(f"{context:9}", accuracy(rival, pairs) == 0.5, accuracy(rival, pairs) > 0.99)

# %% [markdown]
# <!-- prints:
# alone     True False
# bag       True False
# unordered True False
# attention False True
# -->
#
# The first three get **exactly** half of them, and not by chance. Looking only at itself (alone), "apple" always gets the same answer. With all words alike (bag), two sentences of the same words have the same average. And attention without positions (unordered) sees a heap of words, not which stands next to which. Only a model that can choose, and knows near from far, tells them apart.
#
# ## Hide the word it looks at { #hide }
#
# Does a large weight mean that the answer rests on that word? Hide the heaviest word and see whether the answer changes; for comparison, hide another:

# %%
cue = heaviest(model, held_out)
other = [next(i for i in range(len(r.words)) if i not in (at, r.at)) for r, at in zip(held_out, cue, strict=True)]
print(flips(model, held_out, cue) > 0.5)
print(flips(model, held_out, other))

# %% [markdown]
# <!-- prints:
# True
# 0.0
# -->
#
# With its clue hidden, more than half of the answers flip; with another word hidden, none does. Why not all of them? The model has to pick one of two answers, and without a clue it falls back on its default, which may be the answer it gave before.
#
# Try it: choose a sentence, then hide a word by choosing it; one word can be hidden at a time.
#
# ```figure module="explorer"
# title: Hide a word and see whether the answer changes
# description: Three words, i eat apple. Of the lines from apple, the one to eat is by far the thickest.
# caption: The word in the frame looks at its sentence; choose another word to hide it. All numbers were computed by the trained model while the site was built.
# language: en
# sentence: [i, eat, apple]
# fruit: fruit
# company: company
# choose: sentence
# blank: ▢
# asks: "{word}, which looks at its sentence, weight {weight} for itself"
# hide: "{word}, weight {weight}, hide it"
# show: "{word}, hidden, show it again"
# says: "{word} → {sense}; it looks hardest at {heaviest}."
# ```
#
# ## What it doesn't prove { #limits }
#
# A new sentence may hold more than one clue: in "we boil blackberry jam", "boil" would do, and so would "jam". Train again from other random seeds: the answer is always the same, the heaviest word is not; and hiding it changes nothing, as the other clue is still there:

# %%
twice = next(r for r in demos("en") if {"boil", "jam"} <= set(r.words))
models = [learn("en", size=200, steps=120, seed=seed) for seed in (2, 5, 7)]
print({senses_of(m, [twice])[0] for m in models})
print(sorted({twice.words[heaviest(m, [twice])[0]] for m in models}))
print({senses_of(m, [twice], heaviest(m, [twice]))[0] for m in models})

# %% [markdown]
# <!-- prints:
# {'fruit'}
# ['boil', 'jam']
# {'fruit'}
# -->
#
# So the same answers can come with different maps. The weights tell where information was taken from, which isn't yet a reason for the answer; how much they explain is disputed, see [history](../deeper/history.md).
#
# !!! note "What this page simplifies"
#
#     The sentences come from a small grammar with fewer than a hundred words, and the clues are clean. In real language clues are vague and layers many, and no single map reads so easily. The decimals differ a little between machines, so the text states only what is robust; the figures show the numbers of one training run, made while the site was built.
#
# ## Exercises { #exercises }
#
# **Exercise 1.** "i like apple" holds no clue at all. What will the model answer, and should you believe it?
#
# ??? success "Answer"
#
#     It always picks one of the two meanings, because it has no way to say that it doesn't know. Without a clue the answer only shows a leaning left over from training.
#
#     ```pycon
#     >>> from attn.labs.senses import Reading
#     >>> senses_of(model, [Reading(("i", "like", "apple"), 2, "fruit")])[0] in SENSES
#     True
#     ```
#
# **Exercise 2.** What happens when a sentence holds a word it never learned? Guess, then try.
#
# ??? success "Answer"
#
#     It has no vector for that word, so it can only refuse, and it says which word it was.
#
#     ```pycon
#     >>> senses_of(model, [Reading(("i", "paint", "apple"), 2, "fruit")])
#     Traceback (most recent call last):
#     ValueError: words must be in the vocabulary: paint are not
#     ```
#
# Next: [the √dₖ lab](sqrt-dk.py).

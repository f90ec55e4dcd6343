# %% [markdown]
# # The apple lab: attention learns where to look { #apple }
#
# "After juice and cursors, they said mouse and apple." Which mouse is that, and which apple? You know at once that the mouse lies on a desk and the apple grew on a tree. To know it you looked back twice, and each time at a different word: from "mouse" to "cursors", from "apple" to "juice".
#
# In [Which apple?](../which-apple.md) we set every vector by hand so that this would happen. Now we set nothing. A small layer of attention gets sentences and answers, and we watch whether it learns to look at the right word by itself.
#
# ```console
# pip install {{ wheel }}
# ```
#
# !!! question "Guess first"
#
#     To see what the looking is good for, we also train five rivals on the same sentences. They are built like the layer with attention, except that how much a word counts is decided by
#
#     1. nothing: only the word in question itself counts;
#     2. nothing either: all words count alike;
#     3. the distance: the rival learns how much each distance counts;
#     4. the words looked at: it learns which words count, and they count the same for whoever looks;
#     5. both of the last two.
#
#     Which of the five will get the sentence above right?
#
# ## A game of clue words { #corpus }
#
# The sentences come from a game: someone calls out clue words, and the others answer with the words that they think of. Three of those, "apple", "crane" and "mouse", have two senses each. One sense is something that grew (a fruit, a bird, an animal), the other is something that was made (a company, a machine, a device), and each sense has four clue words. For each of the three words in a sentence, the model has to say which it was: did it grow, or was it made?

# %%
import torch

from attn.labs.senses import GRAMMARS, accuracy, corpus, demos, exam
from attn.labs.senses import flips, heaviest, learn, said, senses_of

torch.set_num_threads(1)
train, questions = corpus("en"), exam("en")
for r in train[:5]:
    print(" ".join(r.words), "|", r.words[r.at], "→", r.sense)
learned = {r.words for r in train}
for kind, asked in questions.items():
    asked = {r.words for r in asked}
    print(kind, len(asked), len(asked & learned))

# %% [markdown]
# <!-- prints:
# after bricks and tablets , he said crane and apple | crane → machine
# after bricks and tablets , he said crane and apple | apple → company
# they typed apple and mouse after cheese and tablets | apple → company
# they typed apple and mouse after cheese and tablets | mouse → animal
# after phones and bricks , we typed apple and crane | apple → company
# one 48 0
# same 192 0
# differ 192 0
# -->
#
# A line is a **reading**: a sentence, one of its words, and the sense that the word has there. The corpus holds 300 sentences. In most of them two words are asked about. These come in any order, and so do their clues, so the clue that stands nearer may well be the other word's.
#
# <!-- numbers: len(learned) -->
#
# The last three lines count the sentences kept for the exam: those with **one** word asked about, those with two of the **same** kind (both grew, or both were made), and those whose two words **differ** in kind. The second number in each line is how many of them are in the corpus: none. In the two larger parts, even the two clues of a sentence never met during training.
#
# The last part is the hard one. Where one word grew and the other was made, the sentence holds a clue for "grew" and a clue for "made". Both are there for whoever looks, and which of them counts depends on who asks.
#
# ## Training { #train }
#
# Each word becomes a vector. The word in question scores the others with its query and their keys, softmax makes weights of the scores, the weights mix the values, and a linear layer reads "grew" or "made" off the mix. The words asked about can't be looked at, not even by themselves (a mask hides them), so that the answer has to come from the other words. This is all the code that learns:
#
# <!-- source: labs.senses.learn -->

# %%
model = learn("en")
shown = demos("en")
for r, sense, at in zip(shown, senses_of(model, shown), heaviest(model, shown)):
    print(" ".join(r.words), "|", r.words[r.at], "→", sense, "|", r.words[at])

# %% [markdown]
# <!-- prints:
# after juice , we wrote apple | apple → fruit | juice
# after laptops , we wrote apple | apple → company | laptops
# after juice and cursors , they said mouse and apple | mouse → device | cursors
# after juice and cursors , they said mouse and apple | apple → fruit | juice
# after cheese and laptops , they said mouse and apple | mouse → animal | cheese
# after cheese and laptops , they said mouse and apple | apple → company | laptops
# she typed apple and crane after nests and phones | apple → company | phones
# she typed apple and crane after nests and phones | crane → bird | nests
# after orchards and cider , he guessed apple | apple → fruit | cider
# -->
#
# The last word of each line is the one with the largest weight. Look at the third line and the fourth: it is one sentence, and "mouse" looks at "cursors" where "apple" looks at "juice". In the two lines below, the same two words have other clues and look there.
#
# ```figure module="senses"
# title: What mouse looks at after training
# description: "Nine words: after juice and cursors, they said mouse and apple, with a comma. Of the lines from mouse, the one to cursors is by far the thickest."
# caption: The weights after training, in a sentence that was not trained on. "Mouse" looks at "cursors" …
# language: en
# sentence: after juice and cursors, they said mouse and apple
# looker: mouse
# ```
#
# ```figure module="senses"
# title: What apple looks at in the same sentence
# description: "The same words. Of the lines from apple, the one to juice is by far the thickest."
# caption: … and in the same sentence "apple" looks at "juice".
# language: en
# sentence: after juice and cursors, they said mouse and apple
# looker: apple
# ```
#
# What does looking do to a word? In the first two lines printed above, "apple" begins as one and the same vector, so that the cosine of the two is 1. After looking around, the two mixes point in nearly opposite directions:

# %%
fruit, company = model.read(shown[:1]), model.read(shown[1:2])
with torch.no_grad():
    for vector in (model.own, model.mixed):
        cosine = torch.cosine_similarity(vector(fruit), vector(company))
        print(f"{cosine.item():.1f}")

# %% [markdown]
# <!-- prints:
# 1.0
# -1.0
# -->
#
# ## The five rivals { #controls }
#
# Now the exam, for the layer with attention and for its five rivals. Each is trained three times, from three seeds, which change the corpus as well as the first vectors. The first two columns give the worst of the three results, the last one gives all three.

# %%
rivals = {
    "only itself": "itself",
    "all alike": "alike",
    "by distance": "near",
    "by word": "keys",
    "by word and distance": "keys, near",
    "attention": "attention",
}
trained = {}
for name, context in rivals.items():
    models = trained[name] = [learn("en", context, seed=seed) for seed in range(3)]
    one, same, differ = ([accuracy(m, questions[kind]) for m in models] for kind in questions)
    print(f"{min(one):.2f}  {min(same):.2f} ", *(f"{share:.2f}" for share in differ), f" {name}")

# %% [markdown]
# <!-- prints:
# 0.50  0.50  0.50 0.50 0.50  only itself
# 1.00  1.00  0.50 0.50 0.50  all alike
# 1.00  1.00  0.50 0.50 0.50  by distance
# 1.00  1.00  0.50 0.50 0.50  by word
# 1.00  1.00  0.50 0.50 0.50  by word and distance
# 1.00  1.00  1.00 1.00 1.00  attention
# -->
#
# The first two columns show that the rivals have learned their words: apart from the one that sees nothing but itself, they answer everything as long as all clues in the sentence say the same. In the last column all five get **exactly half**, and each does for a reason that one can name.
#
# - **Only itself**: "apple" gets one and the same answer in every sentence, and it is right in half of them.
# - **All alike**, and **by word**: the two words of a sentence get the same mix and so the same answer, which is right for one of them and wrong for the other. Even if the second of these rivals passed over "after" and "and", it would find both clues, whoever asks.
# - **By distance**, and **by word and distance**: here the two words do get different mixes, as they stand in different places. But the exam also holds each sentence with its two words swapped. The mix at a given place is then the same as before, so the answer is the same, too, and it is right in one of the two sentences.
#
# Attention gets all of them right. It differs from "by word" in one thing: the query. There one learned query serves for all; here each word asks with its own, computed from its own vector by $W_q$. So in a layer that mixes and then reads off, the query is what lets two words look at one sentence and find different things. The keys are needed as well, as without them all scores of a row are equal, and that is the rival with all words alike. Positions are not: this layer knows nothing about where words stand, and this task doesn't need it.
#
# The five could not have done better than half, by construction. What could have refuted the title of this page: attention with no more than half, or right answers while the heaviest word is not the asker's own clue. How often is it, in the whole exam, for the three seeds?

# %%
whose = {clue: word for word, senses in GRAMMARS["en"].targets.items() for clues in senses.values() for clue in clues}
every = [r for asked in questions.values() for r in asked]
for m in trained["attention"]:
    own = sum(whose.get(r.words[at]) == r.words[r.at] for r, at in zip(every, heaviest(m, every)))
    print(f"{own / len(every):.2f}")

# %% [markdown]
# <!-- prints:
# 1.00
# 1.00
# 1.00
# -->
#
# Always, for these three. With other seeds it isn't quite: of five more that we tried, two answered everything and yet looked hardest at another word in a few of the sentences.
#
# ## Hide the word it looks at { #hide }
#
# A large weight on a word could still be an accident. So we take the word away: in the sentences with one word asked about, we hide the heaviest word from the model and see how many answers change. For comparison we then hide each of the other words in turn.

# %%
asked = questions["one"]
for m in models:
    cue = heaviest(m, asked)
    cases = [(r, i) for r, at in zip(asked, cue) for i in range(len(r.words)) if i not in (at, r.at)]
    others, hidden = zip(*cases)
    print(f"{flips(m, asked, cue):.2f}  {flips(m, others, hidden):.2f}")

# %% [markdown]
# <!-- prints:
# 0.50  0.00
# 0.50  0.00
# 0.50  0.00
# -->
#
# With the heaviest word hidden, half of the answers flip, and with any other word hidden, none does, for each of the three seeds. Why only half? Because the model has to choose one of two answers even when it has no clue. "After ▢, we wrote apple" is the same sentence whatever was hidden, so it gets the same answer each time, and in half of the sentences that was the answer anyway.
#
# Does it pass over the clue that isn't meant for it? In the sentences whose two words differ, we hide the clue of the other word, first from attention and then from the rival with all words alike:

# %%
differ = questions["differ"]
other = [next(i for i, w in enumerate(r.words) if w in whose and whose[w] != r.words[r.at]) for r in differ]
for name in "attention", "all alike":
    print(*(f"{flips(m, differ, other):.2f}" for m in trained[name]), f" {name}")

# %% [markdown]
# <!-- prints:
# 0.00 0.00 0.00  attention
# 0.50 0.50 0.50  all alike
# -->
#
# Attention changes none of its answers. The rival changes half of them, as it listened to that clue, too.
#
# Try it: choose a sentence, then hide a word by choosing it. One word can be hidden at a time.
#
# ```figure module="explorer"
# title: Hide a word and see whether the answer changes
# description: "Nine words: after cheese and laptops, they said mouse and apple, with a comma. Of the lines from mouse, the one to cheese is by far the thickest."
# caption: The word in the frame looks at its sentence; choose another word to hide it. All numbers were computed by the trained model while the site was built.
# language: en
# sentence: after cheese and laptops, they said mouse and apple
# looker: mouse
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
# **That weights show where the information comes from.** Take the rival that gives all words the same weight. In the sentences with one word asked about it gets everything right, and hiding words has just the effect that it had above:

# %%
alike = trained["all alike"][0]
weights = alike.weights(alike.read(shown[:1]))[0]
print([round(weight, 2) for weight in weights.tolist()])
clue = flips(alike, asked, cue)
others = flips(alike, others, hidden)
print(f"{clue:.2f}  {others:.2f}")

# %% [markdown]
# <!-- prints:
# [0.2, 0.2, 0.2, 0.2, 0.2, 0.0]
# 0.50  0.00
# -->
#
# Its map is flat, and yet the answer rests on the clue and on no other word, because it is the clue's **value** that decides, while the values of "after" and "we" hardly matter. A weight gives the proportion in which a value enters the mix, and what a word contributes depends on its value as well. So to find out whether an answer rests on a word, hide the word and see. The weight alone doesn't tell.
#
# **That there is one right map.** The last of the sentences above has two clues for one word, "orchards" and "cider", and either would do. Our three models all answer "fruit". The word that counts most for them is not the same one, and hiding it changes nothing, as the other clue is still there:

# %%
twice = shown[-1:]
print({senses_of(m, twice)[0] for m in models})
print(sorted({twice[0].words[heaviest(m, twice)[0]] for m in models}))
print({senses_of(m, twice, heaviest(m, twice))[0] for m in models})

# %% [markdown]
# <!-- prints:
# {'fruit'}
# ['cider', 'orchards']
# {'fruit'}
# -->
#
# How far weights explain an answer is disputed. [Jain and Wallace](../references.md#jain2019) found, for recurrent networks with a layer of attention, that quite different weights can give the same predictions; [Wiegreffe and Pinter](../references.md#wiegreffe2019) replied that it depends on what one calls an explanation. More of this in [history](../deeper/history.md#explanation).
#
# **That there is no other way than looking.** Who asks has to have a say somewhere, and in the models above the only place for it is the weights. A sixth rival gets another place: it mixes all words alike, sets the vector of the word in question beside the mix, and puts a hidden layer (64 numbers to 32, with ReLU) between these and the answer. Here is the mean of its results over three seeds, in the part where the words differ:
#
# <!-- numbers: sizes[1]; sizes[0] -->

# %%
sixth = [learn("en", "afterwards", seed=seed) for seed in range(3)]
sizes = sixth[0].decide[0].weight.shape
late = sum(accuracy(m, questions["differ"]) for m in sixth) / 3
print(f"{late:.1f}")

# %% [markdown]
# <!-- prints:
# 1.0
# -->
#
# It never looks at anything, and it answers nearly all questions. What the lab does show is narrower than "only attention can do this": with everything else equal, a layer that mixes and reads off does it with queries and not without them.
#
# !!! note "What this page simplifies"
#
#     The sentences come from a small grammar of some forty words, each clue belongs to one sense, and the model is told the right answers. In real text clues are vague and layers many, and no single map reads so easily. Decimals of a trained model differ a little between machines, so the text states what held for each seed; the figures show one training run, made while the site was built.
#
# ## Exercises { #exercises }
#
# **Exercise 1.** The corpus holds sentences with at most two words asked about. What will the model make of "after pie and cement and cats, we said crane and mouse and apple"? Guess, and say why you believe it.
#
# ??? success "Answer"
#
#     It gets all three right. Each word asks with its own query, and its row of weights is computed without regard to who else asks.
#
#     ```pycon
#     >>> asked = [("crane", "machine"), ("mouse", "animal"), ("apple", "fruit")]
#     >>> three = said("en", 0, "we said", asked, ["pie", "cement", "cats"])
#     >>> " ".join(three[0].words)
#     'after pie and cement and cats , we said crane and mouse and apple'
#     >>> senses_of(model, three)
#     ['machine', 'animal', 'fruit']
#     ```
#
# **Exercise 2.** "we wrote apple" holds no clue at all. What will the model answer, and should you believe it?
#
# ??? success "Answer"
#
#     It picks one of the two senses, as it has no way to say that it doesn't know. Without a clue the answer shows a leaning left over from training, no more.
#
#     ```pycon
#     >>> from attn.labs.senses import Reading
#     >>> senses_of(model, [Reading(("we", "wrote", "apple"), 2, "fruit")])[0] in ("fruit", "company")
#     True
#     ```
#
# **Exercise 3.** What happens when a sentence holds a word it never learned? Guess, then try.
#
# ??? success "Answer"
#
#     It has no vector for that word, so it can only refuse, and it says which word it was.
#
#     ```pycon
#     >>> senses_of(model, [Reading(("we", "painted", "apple"), 2, "fruit")])
#     Traceback (most recent call last):
#     ValueError: words must be in the vocabulary: painted are not
#     ```
#
# Next: [the √dₖ lab](sqrt-dk.py).

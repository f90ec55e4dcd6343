# %% [markdown]
# # The apple lab: attention learns where to look { #apple }
#
# "After juice and cursors, they said mouse and apple." Which mouse is that, and which apple? To know it you looked back twice, from "mouse" to "cursors" and from "apple" to "juice". In [Which apple?](../which-apple.md) we set every vector by hand so that this would happen. Now a small layer of attention gets nothing but sentences and answers. Will it learn to look at the right word by itself?
#
# ```console
# pip install {{ wheel }}
# ```
#
# !!! question "Guess first"
#
#     Five rivals train on the same sentences. They are built like the layer with attention, except for what decides how much a word counts. Which of them will get the sentence above right?
#
#     - nothing decides: only the word in question itself counts
#     - nothing either: all words count alike
#     - the distance, and it learns how much each distance counts
#     - the words looked at, and it learns which count, the same for whoever looks
#     - both of the last two
#     - none of the five
#
# ## A game of clue words { #corpus }
#
# Someone calls out clue words, and the others answer with the words that they think of. "Apple", "crane" and "mouse" have two senses each, one that grew (a fruit, a bird, an animal) and one that was made (a company, a machine, a device), and each sense has four clue words. For each of the three words in a sentence, the model has to say whether it grew or was made.

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
# A line is a **reading**: a sentence, one of its words, and the sense that the word has there. In most of the 300 sentences of the corpus two words are asked about; they come in any order, as do their clues, so the nearer clue may well be the other word's.
#
# <!-- numbers: len(learned) -->
#
# The last three lines count the sentences of the exam: those with **one** word asked about, those with two of the **same** kind (both grew, or both were made), and those whose two words **differ** in kind. None of them is in the corpus, as the second numbers say, and in the two larger parts even the two clues never met during training. The last part is the hard one, as its sentences hold a clue for "grew" and a clue for "made", and which of them counts depends on who asks.
#
# ## Training { #train }
#
# The word in question scores the others with its query and their keys, softmax makes weights of the scores, the weights mix the values, and a linear layer reads "grew" or "made" off the mix. The words asked about can't be looked at, not even by themselves, so the answer has to come from the others. This is all the code that learns:
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
# The last word of each line is the one with the largest weight. In the third line and the fourth, in one sentence, "mouse" looks at "cursors" and "apple" at "juice"; with other clues, in the two lines below, they look elsewhere.
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
# ## The five rivals { #controls }
#
# Back to your guess. Each model takes the exam three times, trained from three seeds, which change the corpus as well as the first vectors. The first two columns (one word, same kind) give the worst of the three results, the last gives all three.

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
# The rivals have learned their words: apart from the one that sees only itself, they answer everything as long as all clues in the sentence say the same. Where the two words differ, all five get **exactly half**, and for each one can say why.
#
# - **Only itself**: "apple" gets the same answer in every sentence, which is right in half of them.
# - **All alike**, and **by word**: the two words of a sentence get the same mix and so the same answer, which is right for one and wrong for the other.
# - **By distance**, and **by word and distance**: the exam also holds each sentence with its two words swapped. The mix at a given place is the same in both, and so is the answer, which is right in one of them.
#
# Attention gets all of them right. It differs from "by word" in one thing, the query: there one learned query serves for all, here each word asks with its own, computed from its own vector by $W_q$. The keys are needed as well, as without them all scores of a row are equal, and that is the rival with all words alike. Positions are not: this layer knows none.
#
# The five could not have done better, by construction. The title of this page would be refuted by attention with no more than half, or by right answers while the heaviest word is not the asker's own clue. How often is it, for the three seeds?

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
# Always, for these three. Of five more seeds that we tried, two answered everything and yet looked hardest at another word in a few of the sentences.
#
# ## Hide the word it looks at { #hide }
#
# A large weight could be an accident. So, where one word is asked about, we hide the heaviest word from the model, and for comparison each of the others in turn. How many answers will change?

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
# With the heaviest word hidden, half of the answers flip, and with any other word hidden, none does. Why only half? Because the model has to choose even without a clue. "After ▢, we wrote apple" is the same sentence whatever was hidden, so it gets one and the same answer, and in half of the sentences that was the answer anyway.
#
# Does it pass over the clue that isn't meant for it? Where the two words differ, we hide the clue of the other word, first from attention and then from the rival with all words alike:

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
# Attention changes no answer. The rival changes half of its answers, as it listened to that clue, too. Try it: choose a sentence, then hide a word by choosing it, one at a time.
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
# **That weights show where the information comes from.** The rival that gives all words the same weight gets everything right where one word is asked about, and hiding words has just the effect that it had above:

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
# Its map is flat, and yet the answer rests on the clue and on no other word, because it is the clue's **value** that decides, while the values of "after" and "we" hardly matter. Whether an answer rests on a word, hiding it shows, and its weight alone does not.
#
# **That there is one right map.** The last of the sentences above has two clues for one word. Our three models all answer "fruit", the word that counts most for them is not the same one, and hiding it changes nothing:

# %%
twice = shown[-1:]
for m in models:
    at = heaviest(m, twice)
    print(twice[0].words[at[0]], *senses_of(m, twice), *senses_of(m, twice, at))

# %% [markdown]
# <!-- prints:
# cider fruit fruit
# cider fruit fruit
# orchards fruit fruit
# -->
#
# How far weights explain an answer is disputed. For recurrent networks, [Jain and Wallace](../references.md#jain2019) found that quite different weights can give the same predictions, and [Wiegreffe and Pinter](../references.md#wiegreffe2019) replied that it depends on what one calls an explanation; see [history](../deeper/history.md#explanation).
#
# **That there is no other way than looking.** Who asks has to have a say somewhere, and in the models above the only place for it is the weights. A sixth rival mixes all words alike, sets the vector of the word in question beside the mix, and puts a hidden layer (64 numbers to 32, with ReLU) between these and the answer. Its mean over three seeds, where the words differ:
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
# It never looks at anything, and it answers nearly all questions.
#
# !!! note "What this page simplifies"
#
#     The grammar has some forty words, each clue belongs to one sense, and the model is told the right answers. In real text clues are vague and layers many, and no single map reads so easily. The decimals of a trained model differ a little between machines; those in the figures come from one training run, made while the site was built.
#
# ## In short { #in-short }
#
# Nobody set where this layer looks, and it learned to look at the right clue, for each word of a sentence at its own. With everything else equal, a layer that mixes and reads off does this with queries and not without them. That is narrower than "only attention can do it", and a weight by itself doesn't show what an answer rests on.
#
# ## Exercises { #exercises }
#
# **Exercise 1.** The corpus holds sentences with at most two words asked about. What will the model make of "after pie and cement and cats, we said crane and mouse and apple"? Guess, and say why you believe it.
#
# ??? success "Answer"
#
#     It gets all three right, as each word asks with its own query, and its row of weights doesn't depend on who else asks.
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
#     It picks one of the two senses, as it has no way to say that it doesn't know. All that speaks is a leaning left over from training, and the three models don't even agree.
#
#     ```pycon
#     >>> from attn.labs.senses import Reading
#     >>> lone = [Reading(("we", "wrote", "apple"), 2, "fruit")]
#     >>> [senses_of(m, lone)[0] for m in models]
#     ['fruit', 'company', 'company']
#     ```
#
# Next: [the √dₖ lab](sqrt-dk.py).

# %% [markdown]
# # Build a model that finishes your sentences { #next-word }
#
# "After the orchard, she bought apple ___." Pie, you think, or juice. "After the launch, she bought apple ___." Now it's phones. The last word is the same both times, and yet you go on differently, because you glanced back to see where she had been.
#
# A machine that glances back like that is what this whole path has been building towards. You have all the parts by now. On this page we put them together, train the result for a few seconds, and then open it up to see how it does the trick. Such a machine is called a **language model**: give it the beginning of a text, and it gives every word it knows a chance of coming next.
#
# !!! question "Guess first"
#
#     We will show the model three thousand sentences and let it guess each next word. Nobody tells it that "apple" means two things, and nobody tells it where to look. What will it do with a sentence that it has never seen?
#
#     - It has learned its sentences by heart, and guesses wildly at new ones.
#     - It knows what can follow "apple", and tosses a coin between pie and phones.
#     - It has found out by itself that it must look back at the place, and answers as you do.
#
# ```console
# pip install {{ wheel }}
# ```
#
# ## A very small world { #corpus }
#
# Real language is too big to be learned in seconds, so we make a small one. It has three words with two meanings: apple (the fruit, the company), mouse (the animal, the device) and bat (the animal, the club). Its sentences tell where somebody has been, and then what they bought there or talked about.

# %%
import torch

from attn.labs.next_word import accuracy, answers, begin, chances, corpus
from attn.labs.next_word import exam, learn, lessons, vocabulary, weights, write

torch.set_num_threads(1)
sentences, questions = corpus("en"), exam("en")
for words in sentences[:6]:
    print(*words)
print(len(sentences), len(vocabulary("en")))
for kind, gaps in questions.items():
    print(kind, len(gaps), *gaps[0].words, "→", *gaps[0].follows)

# %% [markdown]
# <!-- prints:
# near the spreadsheet and the showroom , he wanted mouse wheels and apple phones .
# they studied bat patents .
# after the keynote and the spreadsheet , she found apple phones and mouse wheels .
# they mentioned mouse patents and apple patents .
# we mentioned apple factories .
# they wanted apple phones and mouse traps .
# 3000 70
# bought 192 after the orchard and the attic , she bought apple → pie juice cake
# same 96 after the orchard and the attic , she discussed apple → genes cells relatives
# differ 96 after the orchard and the office , she discussed apple → genes cells relatives
# -->
#
# The last three lines are questions from the exam. Each of them breaks off after "apple", "mouse" or "bat", and the words behind the arrow would be right. There are always two places in a question, and only one of them has to do with the word at the end. So it isn't enough to notice that there was an orchard; one has to know whose orchard it is. And no two places that meet in a question ever meet in a sentence of the training, so learning by heart won't help.
#
# There are three kinds of questions. In `bought`, every word has answers of its own: apple pie, mouse traps, bat houses. In the other two the answers are shared, since whatever lives has genes, cells and relatives, and whatever is made has patents, factories and designers. Where the two places are of one kind the question is called `same`, and where one speaks of living things and the other of made ones, `differ`. Which of the three would you expect to be hardest?
#
# ## From words to chances { #machine }
#
# The machine is that of the last page, and it takes five steps from end to end. Here it is as it will be after training, reading one of our sentences:
#
# ```figure module="machine"
# title: From a sentence to a chance for each next word
# description: 'From top to bottom. "After the orchard, she bought apple" is cut into seven words, each becomes a number and then a vector. Each word''s vector runs down a line of its own, through a block. There come first a norm and attention, with curves between the words, and of those that lead to apple the one from orchard is the thickest by far; the result is added back to the line. Then come a norm and the feed-forward network, each word beside its own line, and again the result is added back. Below the block are the new vectors. That of apple goes through scores and softmax and gives a chance to each next word, about three tenths each to pie, cake and juice, and little to all the others together.'
# caption: The trained model. The curves are attention weights, the thicker the heavier, in that one of the four heads which looks at "orchard" most. The sign for the start is not drawn; the other numbers are those printed below.
# language: en
# sentence: after the orchard, she bought apple
# clue: orchard
# text: text
# words: words
# numbers: numbers
# vectors: vectors
# block: one block
# norm: norm
# attention: attention
# add: add back
# feed_forward: "feed-\nforward"
# made: "new\nvectors"
# score: scores, softmax
# chances: chances
# rest: "{count} others"
# ```
#
# Let's walk through the steps once, with a model that has learned nothing yet.
#
# It begins with the **vocabulary**, the list of all the words that the model knows, where every word has a number. A sign for the start goes in front of the sentence, and its number is 0. Each number is then swapped for a vector, and a second vector is added that tells the position, because attention by itself [doesn't know the order](../deeper/order.md) of the words.

# %%
model = begin("en")
words = "after the orchard , she bought apple".split()
numbers = model.read(words)
x = model.vectors(numbers)
print(numbers.tolist())
print(list(x.shape))

# %% [markdown]
# <!-- prints:
# [0, 11, 15, 22, 16, 1, 5, 19]
# [8, 32]
# -->
#
# Eight numbers have become eight vectors of size 32. These now go through one [Transformer block](../deeper/transformer-block.md), in which every word first looks at itself and the words before it (attention with 4 heads) and then thinks by itself (the feed-forward network). A causal mask keeps everybody from looking ahead, for what lies ahead is the very thing to be guessed.

# %%
y = model.blocks[0](x, causal=True)
logits = model.out(model.norm(y))
print(list(y.shape), list(logits.shape))

# %% [markdown]
# <!-- prints:
# [8, 32] [8, 70]
# -->
#
# In the last step, `model.out` takes the dot product of each position's vector with a row of parameters for each word of the vocabulary. That gives every word a score, and the higher it is, the more the model expects the word next. These scores are called **logits**. They may be negative and they don't sum to anything in particular, and you know what turns such scores into shares of 1:

# %%
p = logits[-1].softmax(dim=-1)
print(f"{p.sum().item():.2f}  {p.min().item():.3f}  {p.max().item():.3f}")
print(sum(numbers.numel() for numbers in model.parameters()))

# %% [markdown]
# <!-- prints:
# 1.00  0.003  0.033
# 18086
# -->
#
# The last position is that of "apple", and what it says is the model's bet on the gap. The chances of all seventy words sum to 1. So far the smallest and the largest are both a matter of percents, which is hardly better than throwing dice, as all the parameters are still random. The second line counts them. There are some eighteen thousand, and they are all that will be learned.
#
# ## Training: guess the next word { #train }
#
# The training is that of [the page on training](../training.md), only with eighteen thousand numbers in place of one. Every position of every sentence asks a question: having read this far, what comes next? The smaller the chance that the model gave to the word that really came, the larger the loss, and every parameter moves a little in the direction that makes the loss smaller. A sentence of nine words is nine questions, and they can all be answered at once, because the mask sees to it that nobody peeks at the answers. Here is all the code that learns:
#
# <!-- source: labs.next_word.lessons -->
#
# Let it begin. Each line shows the step, the loss, and the share of exam questions that are answered rightly. The share is rounded to the nearest quarter, since finer digits differ a little from machine to machine.

# %%
def quarter(share):
    return round(4 * share) / 4


every = [gap for gaps in questions.values() for gap in gaps]
for step, loss in enumerate(lessons(model, sentences, steps=600), start=1):
    if step in (1, 100, 600):
        print(f"{step:3}  {loss:.0f}  {quarter(accuracy(model, every))}")
for kind, gaps in questions.items():
    print(kind, quarter(accuracy(model, gaps)))

# %% [markdown]
# <!-- prints:
#   1  4  0.0
# 100  1  0.5
# 600  1  1.0
# bought 1.0
# same 1.0
# differ 1.0
# -->
#
# A few seconds, and it gets questions right that it has never seen. This is how it goes on with our two sentences now:
#
# ```figure module="chances"
# title: How it goes on once it is trained
# description: "Two groups of bars. After 'after the orchard, she bought apple', the words pie, cake and juice have about a third each. After 'after the launch, she bought apple', the words tablets, phones and watches have nearly everything."
# caption: The likeliest words and their chances.
# language: en
# sentences: ["after the orchard, she bought apple", "after the launch, she bought apple"]
# ```
#
# Was the third guess yours? Notice, though, that after a hundred steps the second guess was the better one: half of the answers were right.
#
# ```figure module="learning"
# title: How it learned
# description: "Two curves over the steps of training. The loss above falls steeply at first and is almost flat from then on. The share below rises to one half, waits there for a while, and then climbs to the top."
# caption: The loss soon stops falling much, while the share of right answers waits at one half before it climbs to the top.
# language: en
# loss: loss
# right: share of right answers
# steps: steps
# even: loss of an even guess
# ```
#
# This curve is worth a minute. What the model learns first is whatever can be known without looking back, for instance that "apple" may be followed by pie or phones, but not by a comma. Most words of a sentence can be guessed that way, and so the loss falls. But the answers wait at one half, because the model knows both possibilities and has no idea which it is. Then, at some point, it discovers that the places are good for something, and the share climbs to 1. And why doesn't the loss fall to 0? Some words nobody can guess. She may have been anywhere.
#
# ## Where does it look? { #look }
#
# Does it really get there by looking back? Let's give it one sentence, and change only the word that asks.

# %%
told = "after the orchard and the office , she discussed".split()
places = "orchard", "office"
for asker in "apple", "mouse":
    look = weights(model, [*told, asker]).mean(dim=0)  # of four heads
    row = look[-1, 1:]  # that of the last word
    heaviest = max(places, key=lambda place: row[told.index(place)])
    likeliest = chances(model, [*told, asker])[:3]
    print(asker, "|", heaviest, "|", *sorted(word for word, chance in likeliest))

# %% [markdown]
# <!-- prints:
# apple | orchard | cells genes relatives
# mouse | office | designers factories patents
# -->
#
# Nothing but the last word has changed. When "apple" asks, the orchard gets more weight than the office, and out come words for living things. When "mouse" asks, it's the other way round. Who asks decides where to look, and that is what queries are for:
#
# ```figure module="writer"
# title: Apple looks back
# description: "The words: after, the, orchard, and, the, office, comma, she, discussed, apple. The thickest line from 'apple' leads to 'orchard'."
# caption: Weights of the trained model, from that one of its four heads that looks at the place most. The share of the sentence's start is not drawn.
# language: en
# sentence: after the orchard and the office, she discussed apple
# clue: orchard
# ```
#
# ```figure module="writer"
# title: Mouse looks back
# description: "The same sentence with 'mouse' as its last word. The thickest line leads to 'office'."
# caption: The same sentence, but now "mouse" asks, and it looks somewhere else.
# language: en
# sentence: after the orchard and the office, she discussed mouse
# clue: office
# ```
#
# The other heads look here and there, some of them not at places at all. So a map of weights is a hint where to search. It isn't evidence yet.
#
# ## Cover a word { #cover }
#
# For evidence we have to interfere. We cover a word, so that no other can look at it, and see whether the answer changes. First we cover the other word's place in every hard question, and then we compare two sentences that differ in their place alone.

# %%
differ = questions["differ"]
other = [gap.other for gap in differ]
print(quarter(accuracy(model, differ, hide=other)))


def moved(one, two):
    one, two = dict(one), dict(two)
    return sum(abs(one[word] - two[word]) for word in one) / 2


sentence = "after the {place} , she bought apple"
orchard, launch = (sentence.format(place=place).split() for place in ("orchard", "launch"))
print(quarter(moved(chances(model, orchard), chances(model, launch))))
covered = [orchard.index("orchard")]
one, two = (chances(model, words, hide=covered) for words in (orchard, launch))
print(quarter(moved(one, two)))

# %% [markdown]
# <!-- prints:
# 1.0
# 1.0
# 0.0
# -->
#
# With the other word's place covered, all answers are still right, so that place had no say in them. The second line is the share of the chances that moves from some words to others when "launch" takes the place of "orchard", and it is nearly all of them. When the place is covered, as in the third line, nothing moves, because to the model the two sentences are now one and the same. That one word made the difference.
#
# What if a sentence names no place to begin with? A third of the training sentences don't, so the model has learned not to be sure:
#
# ```figure module="chances"
# title: Without a clue
# description: "A group of bars. After 'she bought apple' the chances are shared by fruit words, such as juice and pie, and by device words, such as tablets and phones, and no word has as much as a half."
# caption: No place, and so the chances are shared by words of both kinds.
# language: en
# sentences: [she bought apple]
# ```
#
# ## Would it do not to ask? { #controls }
#
# Perhaps there's no need for all this. Suppose we simply mix all earlier words in equal parts. The place is among them, so why shouldn't that be enough? Let three rivals try. They differ from attention only in what decides the weights:
#
# - `alike` gives all earlier words the same weight;
# - `near` learns a weight for each distance;
# - `keys` goes by the words looked at, but all the words share one learned query, so it makes no difference who asks.
#
# To see what the mixing alone can do, we take the feed-forward network out of all four models. Each is trained from three seeds, and the mean of the three is printed, rounded to the nearest quarter again.

# %%
for context in "alike", "near", "keys", "attention":
    options = {"context": context, "feed_forward": False, "steps": 300}
    models = [learn("en", **options, seed=seed) for seed in range(3)]
    for kind in "same", "differ":
        mean = sum(accuracy(m, questions[kind]) for m in models) / len(models)
        print(quarter(mean), end=" ")
    print(context)

# %% [markdown]
# <!-- prints:
# 1.0 0.5 alike
# 1.0 0.5 near
# 1.0 0.5 keys
# 1.0 1.0 attention
# -->
#
# As long as both places are of one kind, everybody knows the answer. Where they differ, the rivals are left with one half, and more training wouldn't help them. Think of "apple" and "mouse" asking in the same sentence. If the weights take no notice of who asks, both words get nearly the same mix, in which the orchard pulls towards "lives" and the office towards "is made". Whatever comes of it suits one of the two and is wrong for the other. Only attention knows who asks, and so each word takes what belongs to it.
#
# There's a lazier rival still, which looks at no word but itself. It can't help giving the same answer after the same word, whatever the sentence says:

# %%
blind = learn("en", context="itself", steps=100)
asked = [gap.words for gap in questions["bought"] if gap.words[-1] == "apple"]
print(len(asked), len(set(answers(blind, asked))))

# %% [markdown]
# <!-- prints:
# 64 1
# -->
#
# Now comes the part that spoils the simple story. We give the feed-forward network back to the dullest of the rivals:

# %%
late = learn("en", context="alike")
print(quarter(accuracy(late, questions["differ"])))

# %% [markdown]
# <!-- prints:
# 1.0
# -->
#
# It answers everything. The word's own vector has been travelling along in the residual connection all the time, so the feed-forward network can still put together who asked and what was mixed. What we have shown is therefore less than "only attention can do this". It takes a query to tell while mixing whose place is whose; in sentences this short, with two places at most, one can also sort it out afterwards. [The apple lab](apple.py) comes to the same result.
#
# ## When one block is not enough { #two-blocks }
#
# Is there something that two blocks learn and a single one doesn't? There is, and it's nothing exotic. Four guests order, and the waiter reads the orders back in another order:
#
# "Ann cake, Gus soup, Cat tea, Dan rice; Cat ___"
#
# Who orders what is drawn anew for each sentence, so no parameter can remember it, and the answer must be found in the sentence. You find the earlier "Cat" and read what comes after it. But when the model looks at "Cat", "Cat" is all it sees. The answer is one word further on, and nothing there says whose order it was.

# %%
from attn.labs import orders

gaps = orders.exam("en")
print(*gaps[0].words, "→", *gaps[0].follows)
print(f"{orders.commonest(gaps):.2f}")
two = orders.serve("en", layers=2)
one = orders.serve("en", layers=1)
wide = orders.serve("en", layers=1, num_heads=4, d_model=64)
waiters = {"two blocks": two, "one block": one, "one, but wider": wide}
for name, waiter in waiters.items():
    parameters = sum(numbers.numel() for numbers in waiter.parameters())
    print(quarter(accuracy(waiter, gaps)), parameters, name)

# %% [markdown]
# <!-- prints:
# cat tea eve cake ann cake hal cake ; hal → cake
# 0.49
# 1.0 27215 two blocks
# 0.5 14511 one block
# 0.5 53583 one, but wider
# -->
#
# The second line is the score of somebody who knows what was ordered but not by whom, and always bets on the dish that was ordered most. A single block gets no further than that, and making it wider doesn't help, even with about twice the parameters of the two blocks. So it can't be the number of parameters. Two blocks get it right. How do they share the work?
#
# ```figure module="writer"
# title: In the first block, tea notes whose order it is
# description: "An order of eight words, a semicolon, and 'cat' once more. The thickest line from 'tea' leads to the 'cat' right before it."
# caption: In the first block each dish looks at the word before it, and takes the name along.
# language: en
# sentence: ann cake gus soup cat tea dan rice; cat
# clue: cat
# looker: tea
# block: first
# ```
#
# ```figure module="writer"
# title: In the second block, cat finds the tea
# description: "The same order. The thickest line from the last 'cat' leads to 'tea'."
# caption: In the second block "cat" looks for whatever carries the name "cat", and finds the tea.
# language: en
# sentence: ann cake gus soup cat tea dan rice; cat
# clue: tea
# block: second
# ```
#
# First every dish makes a note of the word before it, then the name searches the notes. The second step needs the result of the first, and that is why it takes two blocks. Pairs of heads that work together like this are called **induction heads**. [Olsson and colleagues](../references.md#olsson2022) report that models of one layer have none, that models of two or more do, and that they form rather suddenly in the course of training. How much they explain of what large models do is harder to show, and there the authors speak of correlations.
#
# ## Let it write { #write }
#
# Whoever can guess the next word can write: guess a word, append it, guess again, and stop at the full stop. Always taking the likeliest word would give the same sentence every time, so here the next word is drawn, each with its chance.
#
# ```figure module="writing"
# title: Writing, starting from nothing
# description: "A table with a row for each word written. On the left is what the sentence has come to, on the right the likeliest word and the one drawn, with their chances; the one drawn is bold. Words like 'the' and the comma are nearly certain, while places, people and verbs share their chances with many others."
# caption: A word in each row; bold is the one that was drawn. You can see where the model is sure and where anything goes.
# language: en
# so_far: so far
# next: next word
# ```
#
# Does each step have to compute all the earlier words again? No, for their keys and values never change. They go into a [KV cache](../deeper/kv-cache.md), and each step computes the new word alone. Does the model write the same with the cache as without? Let it write 20 sentences both ways and count.

# %%
kept = [write(model, [], seed=seed) for seed in range(20)]
again = [write(model, [], seed=seed, cached=False) for seed in range(20)]
print(sum(a == b for a, b in zip(kept, again)))

# %% [markdown]
# <!-- prints:
# 20
# -->
#
# ## Ask it yourself { #play }
#
# Now it is your turn. Tap a word to see where it looks, and another head to see another look. Cover a place, let two places change seats, or write a sentence that nobody has written; guess how the machine goes on, and then see. It knows its few dozen words and no other, but their order is up to you.
#
# Three things are worth a try. Let *apple* and *mouse* ask in the same sentence. Cover the orchard, and see which sense it falls back on. Write something odd that it cannot have seen, and watch it go on all the same, as if nothing were wrong.
#
# ```figure module="live"
# title: A small machine goes on with the sentence
# description: "In one sentence, the likeliest words after apple are relatives, genes and cells; after mouse they are patents, designers and factories."
# caption: Tap a word to see where it looks; cover, exchange or move words, or write a sentence of your own, and see how the machine goes on.
# language: en
# sentences: ["after the orchard and the office, she discussed apple", "after the orchard and the office, she discussed mouse"]
# tries: ["after the launch, she bought apple", "after the orchard, she bought apple", "after the orchard and the office, she discussed apple", "after the orchard and the office, she discussed mouse"]
# full: true
# choose: sentence
# heads_name: head
# head: "number {number}"
# opening: start
# blank: (covered)
# exchange: change to
# cover: cover
# uncover: uncover
# left: move left
# right: move right
# remove: take away
# next: "The next word; tap one to go on with it"
# append: "go on with {word}, chance {chance}"
# write: write a word
# finish: write to the end
# restart: start again
# type: a sentence of your own
# read: read it
# chip: "{word}, looked at with {weight}; tap to let it look"
# ahead: "{word}, not yet to be seen; tap to let it look"
# says: "Of the words before it, {word} looks hardest at {other} ({weight}). Its guess for the next word is {next}."
# alone: "Before {word} there is nothing to look at. Its guess is that a sentence begins with {next}."
# unloaded: The numbers of this model could not be fetched. Check the network and tap again.
# unknown: "It knows {count} words, and not these: {words}."
# empty: Write a few words that it knows, such as those of the sentence.
# full_up: A sentence has at most {longest} words, and this one is full.
# ```
#
# ## What it is not { #limits }
#
# **It doesn't know what an apple is.** It has never eaten pie or held a phone. It knows which words tend to follow which, and in our grammar an apple after an orchard is never a phone. That is the regularity it found.
#
# **It lives among seventy words.** Show it one it hasn't met, and it can't even read it. Real models don't read whole words but [tokens](../which-apple.md), which can be pieces of words, so that they can spell out anything.
#
# **It is tiny.** The largest Llama 3 has 126 layers and 405 billion parameters, knows some 128 thousand tokens, and was trained on 15.6 trillion of them, according to [its report](../references.md#llama2024). The way from a text to a chance for each next token is the same as on this page, but size isn't all that lies between the two. There's the data, there are the methods of training, and there's a great deal of engineering. Nor are the weights of a large model as easy to read as ours.
#
# <!-- numbers: cited("llama2024", 15.6) -->
#
# ## In short { #in-short }
#
# A language model gives every word a chance of coming next, and all that it is trained to do is guess. One block of attention is enough for it to find out by itself that it must look back, and that it depends on who asks where to look. To note something first and search the notes afterwards took two blocks, one after the other. And to write is to guess the next word, over and over.
#
# ## Exercises { #exercises }
#
# **Exercise 1.** Swap the two places: "after the office and the orchard, she discussed apple". How will the model go on? Guess, then run it.
#
# ??? success "Answer"
#
#     Still with words for living things. It goes by what the place is, not by whether it was named first or second.
#
#     ```pycon
#     >>> swapped = "after the office and the orchard , she discussed apple".split()
#     >>> sorted(word for word, chance in chances(model, swapped)[:3])
#     ['cells', 'genes', 'relatives']
#     ```
#
# **Exercise 2.** Design a sentence that any person could finish and this model can't. Find at least two different ways.
#
# ??? success "Answer"
#
#     The cheapest way is a word that it doesn't know.
#
#     ```pycon
#     >>> chances(model, "after the garden , she bought apple".split())
#     Traceback (most recent call last):
#     ValueError: words must be in the vocabulary: garden are not
#     ```
#
#     Another is to put the clue behind the gap: "she bought apple ___ because she had been to the orchard". A person reads to the end before filling it in. The model sees only what comes before, so it answers as if there were no clue.
#
# **Exercise 3.** "She", "he", "we" and "they" are equally frequent in our sentences. At that position, below what can the loss not fall on average, however clever the model?
#
# ??? success "Answer"
#
#     With four equally likely words, the best one can do is to give each a chance of a quarter. The loss is then minus the logarithm of 1/4, about 1.39. If the loss doesn't fall to 0, that isn't the model's fault; the sentence just doesn't say.
#
#     <!-- numbers: -math.log(1 / 4) -->
#
#     ```pycon
#     >>> import math
#     >>> f"{-math.log(1 / 4):.2f}"
#     '1.39'
#     ```
#
# **Exercise 4.** Suppose that the causal mask had been forgotten in training. What would happen to the loss, and could the model write afterwards? (Think back to [the attention matrix](../attention-matrix.md).)
#
# ??? success "Answer"
#
#     The loss would fall very low, since each word could look up the next one and copy it. But while it writes, there is no next word yet to copy, so it would be lost. A fine loss doesn't mean that anything was learned.
#
# Next: [Summary](../summary.md).

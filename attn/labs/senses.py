"""Which 苹果 is it? Sentences whose words have two senses, and small models that learn to tell them apart.

A sense is shown by one cue in the same clause: a verb before the word, or a noun after it. Two sentences in three have
a second clause, in which another word has the other sense. So whoever finds the sense must look at the right word.

>>> model = learn("zh")
>>> readings = demos("zh")[:2]
>>> for r, sense, at in zip(readings, senses_of(model, readings), heaviest(model, readings)):
...     print(*r.words, "→", sense, "by", r.words[at])
我 喜欢 吃 苹果 → fruit by 吃
我 用 苹果 电脑 → company by 电脑
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from attn.functional import attention_weights
from attn.layers import SelfAttention
from attn.masks import padding_mask
from attn.positions import alibi

SENSES = ("fruit", "company")
CONTEXTS = ("attention", "unordered", "bag", "alone")


class Grammar(NamedTuple):
    """The words of a language, by what they do in a clause; a pair is a word as it is and as it follows `likes`."""

    subjects: tuple[str, ...]
    likes: tuple[str, ...]
    verbs: tuple[tuple[tuple[str, str], ...], ...]  # by sense: these tell it
    neutral: tuple[tuple[str, str], ...]  # verbs that tell nothing: the noun does
    nouns: tuple[tuple[str, ...], ...]  # by sense: these tell it
    targets: tuple[str, ...]  # the words with two senses
    comma: str
    demos: tuple[tuple[str, tuple[int, ...]], ...]  # never learned from; the sense of each target


def same(*words: str) -> tuple[tuple[str, str], ...]:
    return tuple((word, word) for word in words)


GRAMMARS = {
    "zh": Grammar(
        subjects=("我", "你", "他", "她", "我们", "他们", "妈妈", "爸爸", "老师", "同学"),
        likes=("喜欢", "想", "要", "常常"),
        verbs=(same("吃", "煮", "洗", "种"), same("投资", "加入", "起诉", "收购")),
        neutral=same("用", "买", "卖", "带"),
        nouns=(("粥", "饼", "蛋糕", "沙拉"), ("电脑", "手机", "耳机", "股票")),
        targets=("苹果", "小米"),
        comma="，",
        demos=(
            ("我 喜欢 吃 苹果", (0,)),
            ("我 用 苹果 电脑", (1,)),
            ("我 喜欢 用 苹果 电脑", (1,)),
            ("我 吃 苹果", (0,)),
            ("我 吃 苹果 ， 他 用 小米 手机", (0, 1)),
            ("我 吃 小米 ， 他 用 苹果 手机", (0, 1)),
            ("她 投资 苹果 ， 我 煮 小米", (1, 0)),
            ("她 煮 小米 粥 ， 我 投资 苹果", (0, 1)),
        ),
    ),
    "en": Grammar(
        subjects=("i", "you", "we", "they", "parents", "teachers", "students", "friends", "farmers", "neighbours"),
        likes=("like", "love", "enjoy", "prefer"),
        verbs=(
            (("eat", "eating"), ("boil", "boiling"), ("wash", "washing"), ("plant", "planting")),
            (("fund", "funding"), ("join", "joining"), ("sue", "suing"), ("acquire", "acquiring")),
        ),
        neutral=(("use", "using"), ("buy", "buying"), ("sell", "selling"), ("bring", "bringing")),
        nouns=(("pie", "jam", "cake", "salad"), ("computers", "phones", "headphones", "shares")),
        targets=("apple", "blackberry"),
        comma=",",
        demos=(
            ("i like eating apple", (0,)),
            ("i use apple computers", (1,)),
            ("i like using apple computers", (1,)),
            ("i eat apple", (0,)),
            ("i eat apple , they use blackberry phones", (0, 1)),
            ("i eat blackberry , they use apple phones", (0, 1)),
            ("we fund apple , i boil blackberry", (1, 0)),
            ("we boil blackberry jam , i fund apple", (0, 1)),
        ),
    ),
}


class Reading(NamedTuple):
    """One word with two senses, where it stands in its sentence, and which sense it has there."""

    words: tuple[str, ...]
    at: int
    sense: str


def demos(language: str) -> list[Reading]:
    """The readings shown on the page, none of which is learned from."""
    g, readings = GRAMMARS[language], []
    for sentence, senses in g.demos:
        words = tuple(sentence.split())
        places = [i for i, word in enumerate(words) if word in g.targets]
        readings += [Reading(words, at, SENSES[sense]) for at, sense in zip(places, senses, strict=True)]
    return readings


def vocabulary(language: str) -> list[str]:
    """Every word of the language, in a fixed order."""
    g = GRAMMARS[language]
    pairs = (*g.verbs[0], *g.verbs[1], *g.neutral)
    words = (*g.subjects, *g.likes, *(form for pair in pairs for form in pair), *g.nouns[0], *g.nouns[1], *g.targets)
    return list(dict.fromkeys((*words, g.comma)))


def corpus(language: str, size: int = 400, seed: int = 0) -> list[Reading]:
    """`size` different readings; the sentences of `demos` are not among them."""
    choose, g, readings = random.Random(seed), GRAMMARS[language], dict[Reading, None]()
    while len(readings) < size:
        senses, targets = [0, 1], list(g.targets)
        choose.shuffle(senses)
        choose.shuffle(targets)
        clauses = [clause(g, sense, target, choose) for sense, target in zip(senses, targets, strict=True)]
        if choose.random() < 0.6:
            words = (*clauses[0], g.comma, *clauses[1])
        else:
            words, targets, senses = clauses[0], targets[:1], senses[:1]
        if " ".join(words) not in dict(g.demos):
            for sense, target in zip(senses, targets, strict=True):
                readings[Reading(words, words.index(target), SENSES[sense])] = None
    return list(readings)[:size]


def clause(g: Grammar, sense: int, target: str, choose: random.Random) -> tuple[str, ...]:
    """A clause in which the target has the sense, shown by a verb before it or a noun after it."""
    liked = choose.random() < 0.5
    start = (choose.choice(g.subjects), choose.choice(g.likes)) if liked else (choose.choice(g.subjects),)
    if choose.random() < 0.5:
        return (*start, choose.choice(g.verbs[sense])[liked], target)
    return (*start, choose.choice(g.neutral)[liked], target, choose.choice(g.nouns[sense]))


def mirrored(language: str) -> list[Reading]:
    """Pairs of sentences of exactly the same words, in which a word has the one sense here and the other there."""
    g, readings = GRAMMARS[language], []
    subjects = (g.subjects[0], g.subjects[2])
    for verb, _ in g.verbs[0]:
        for neutral, _ in g.neutral:
            for noun in g.nouns[1]:
                for one, other in (g.targets, g.targets[::-1]):
                    words = (subjects[0], verb, one, g.comma, subjects[1], neutral, other, noun)
                    readings += [Reading(words, 2, SENSES[0]), Reading(words, 6, SENSES[1])]
    return readings


class Senses(nn.Module):
    """Words → vectors → attention → fruit or company, read off at the word in question.

    Args:
        language: "zh" or "en".
        context: which words count. "attention": those that the word looks at, near ones more. For comparison:
            "unordered", attention that knows no positions; "bag", all words alike; "alone", only the word itself.
        spread: standard deviation of the word vectors at the start.
    """

    def __init__(self, language: str, context: str = "attention", spread: float = 0.3) -> None:
        if language not in GRAMMARS or context not in CONTEXTS:
            rule = f"language must be one of {tuple(GRAMMARS)} and context one of {CONTEXTS}"
            raise ValueError(f"{rule}: they are {language!r} and {context!r}")
        super().__init__()
        self.context = context
        self.number = {word: i for i, word in enumerate(vocabulary(language))}
        self.embedding = nn.Embedding(len(self.number), 32)
        with torch.no_grad():
            self.embedding.weight *= spread
        self.look = SelfAttention(32)
        self.decide = nn.Linear(32, len(SENSES))

    def forward(self, readings: Sequence[Reading], hide: Sequence[int] | None = None) -> Tensor:
        """The scores of both senses for each reading, (b, 2); `hide`: a position of each sentence not to look at."""
        scores: Tensor = self.decide(self.mixed(readings, hide))
        return scores

    def mixed(self, readings: Sequence[Reading], hide: Sequence[int] | None = None) -> Tensor:
        """The vector of the word in question after it has looked around, (b, 32)."""
        sentences = [r.words for r in readings]
        output = self.weights(sentences, hide) @ self.look.W_v(self.vectors(sentences))  # (b, n, 32)
        row: Tensor = output[torch.arange(len(readings)), torch.tensor([r.at for r in readings])]
        return row

    def weights(self, sentences: Sequence[Sequence[str]], hide: Sequence[int] | None = None) -> Tensor:
        """How much each word counts for each other one, (b, n, n); words behind a sentence's end have none."""
        lengths = torch.tensor([len(words) for words in sentences])
        n = int(lengths.max())
        mask = padding_mask(lengths, n)  # (b, 1, n)
        if hide is not None:
            mask = mask & (torch.arange(n) != torch.tensor(hide)[:, None])[:, None]
        if self.context == "alone":
            return torch.eye(n) * mask
        x = self.vectors(sentences)  # (b, n, 32)
        Q, K = self.look.W_q(x), self.look.W_k(x)
        if self.context == "bag":
            return attention_weights(Q, K, mask=mask, scale=0.0)
        bias = alibi(8, n, n)[0] if self.context == "attention" else None  # slope 1/2
        return attention_weights(Q, K, mask=mask, bias=bias)

    def vectors(self, sentences: Sequence[Sequence[str]]) -> Tensor:
        """The words' own vectors, the same in each sentence: (b, n, 32)."""
        n = max(len(words) for words in sentences)
        unknown = sorted({word for words in sentences for word in words} - set(self.number))
        if unknown:
            raise ValueError(f"words must be in the vocabulary: {' '.join(unknown)} are not")
        numbers = [[self.number[word] for word in words] + [0] * (n - len(words)) for words in sentences]
        vectors: Tensor = self.embedding(torch.tensor(numbers))
        return vectors


def learn(
    language: str, context: str = "attention", *, size: int = 400, steps: int = 200, seed: int = 0, spread: float = 0.3
) -> Senses:
    """A model that has read the corpus; one or two seconds. Torch's random numbers are left as they were."""
    readings = corpus(language, size, seed)
    answers = torch.tensor([SENSES.index(r.sense) for r in readings])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Senses(language, context, spread)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.3)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(readings), answers)
        loss.backward()
        optimizer.step()
    return model.eval()


@torch.no_grad()
def senses_of(model: Senses, readings: Sequence[Reading], hide: Sequence[int] | None = None) -> list[str]:
    """What the model takes each word for."""
    return [SENSES[i] for i in model(readings, hide).argmax(dim=-1).tolist()]


def accuracy(model: Senses, readings: Sequence[Reading]) -> float:
    """The share of readings that the model gets right."""
    right = sum(said == r.sense for said, r in zip(senses_of(model, readings), readings, strict=True))
    return right / len(readings)


@torch.no_grad()
def heaviest(model: Senses, readings: Sequence[Reading]) -> list[int]:
    """In each sentence the position that the word in question looks at most."""
    weights = model.weights([r.words for r in readings])  # (b, n, n)
    return weights[torch.arange(len(readings)), torch.tensor([r.at for r in readings])].argmax(dim=-1).tolist()


def flips(model: Senses, readings: Sequence[Reading], hide: Sequence[int]) -> float:
    """The share of readings that the model changes when one position of each sentence is hidden from it."""
    seen, unseen = senses_of(model, readings), senses_of(model, readings, hide)
    return sum(a != b for a, b in zip(seen, unseen, strict=True)) / len(readings)

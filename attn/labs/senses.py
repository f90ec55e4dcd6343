"""Which 苹果 is it? Sentences whose words have two senses, and small models that learn to tell them apart.

Two words are asked about in most sentences, and their clues come in any order. So what stands near tells nothing, and
neither does knowing which clues there are, unless one knows who asks: where one word means something that grew and
the other something made, the sentence holds a clue of either kind, and each word must find its own.

>>> model = learn("zh")
>>> readings = demos("zh")[:4]
>>> for r, sense, at in zip(readings, senses_of(model, readings), heaviest(model, readings)):
...     print(*r.words, "|", r.words[r.at], "→", sense, "by", r.words[at])
聊完 果汁 ， 我们 说起 苹果 | 苹果 → 水果 by 果汁
聊完 手机 ， 我们 说起 苹果 | 苹果 → 公司 by 手机
聊完 果汁 和 车灯 ， 他们 提到 甲壳虫 和 苹果 | 甲壳虫 → 汽车 by 车灯
聊完 果汁 和 车灯 ， 他们 提到 甲壳虫 和 苹果 | 苹果 → 水果 by 果汁
"""

import itertools
import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from attn.functional import attention_weights
from attn.layers import SelfAttention

CONTEXTS = (  # what decides how much each word counts
    "itself",  # only the word asked about counts
    "alike",  # all words count the same
    "near",  # the distance, learned, left and right apart
    "keys",  # the words looked at, not who looks: attention with one learned query for all
    "keys, near",  # the words looked at and their distance
    "attention",  # who looks, and the words looked at
    "afterwards",  # all words count the same, and who asks is heard after mixing, in a hidden layer
)
D_MODEL = 32
SPREAD = 0.3  # of the words' vectors at the start: short, so that the first weights are nearly even
FARTHEST = 11  # what is farther counts as this far, where distance counts


class Grammar(NamedTuple):
    """The words of a language, and two ways of joining them to a sentence."""

    subjects: tuple[str, ...]
    verbs: tuple[str, ...]
    targets: dict[str, dict[str, tuple[str, ...]]]  # word: {what grew: its clues, what was made: its clues}
    orders: tuple[str, str]
    joined: str
    demos: dict[str, tuple[str, ...]]  # never learned from: the sense of each word asked about


GRAMMARS = {
    "zh": Grammar(
        subjects=("我们", "你们", "他们", "她们", "同学", "老师"),
        verbs=("说起", "提到", "想起", "谈到"),
        targets={
            "苹果": {"水果": ("果汁", "果园", "果酱", "沙拉"), "公司": ("手机", "平板", "耳机", "手表")},
            "病毒": {"微生物": ("疫苗", "口罩", "流感", "咳嗽"), "程序": ("邮件", "硬盘", "黑客", "防火墙")},
            "甲壳虫": {"昆虫": ("翅膀", "触角", "树叶", "泥土"), "汽车": ("车灯", "轮胎", "油箱", "方向盘")},
        },
        orders=("聊完 {clues} ， {who} {targets}", "{who} {targets} ， 因为 聊到 {clues}"),
        joined=" 和 ",
        demos={
            "聊完 果汁 ， 我们 说起 苹果": ("水果",),
            "聊完 手机 ， 我们 说起 苹果": ("公司",),
            "聊完 果汁 和 车灯 ， 他们 提到 甲壳虫 和 苹果": ("汽车", "水果"),
            "聊完 翅膀 和 手机 ， 他们 提到 甲壳虫 和 苹果": ("昆虫", "公司"),
            "她们 想起 苹果 和 病毒 ， 因为 聊到 口罩 和 平板": ("公司", "微生物"),
            "聊完 果酱 和 沙拉 ， 老师 谈到 苹果": ("水果",),
        },
    ),
    "en": Grammar(
        subjects=("i", "you", "he", "she", "we", "they"),
        verbs=("wrote", "said", "typed", "guessed"),
        targets={
            "apple": {
                "fruit": ("juice", "pie", "orchards", "cider"),
                "company": ("laptops", "phones", "tablets", "shares"),
            },
            "crane": {
                "bird": ("feathers", "nests", "marshes", "wings"),
                "machine": ("cement", "steel", "cables", "bricks"),
            },
            "mouse": {
                "animal": ("cheese", "cats", "tails", "burrows"),
                "device": ("cursors", "clicks", "icons", "keyboards"),
            },
        },
        orders=("after {clues} , {who} {targets}", "{who} {targets} after {clues}"),
        joined=" and ",
        demos={
            "after juice , we wrote apple": ("fruit",),
            "after laptops , we wrote apple": ("company",),
            "after juice and cursors , they said mouse and apple": ("device", "fruit"),
            "after cheese and laptops , they said mouse and apple": ("animal", "company"),
            "she typed apple and crane after nests and phones": ("company", "bird"),
            "after orchards and cider , he guessed apple": ("fruit",),
        },
    ),
}


class Reading(NamedTuple):
    """One word with two senses, where it stands in its sentence, and which sense it has there."""

    words: tuple[str, ...]
    at: int
    sense: str


class Batch(NamedTuple):
    """Readings in numbers, as a model takes them."""

    numbers: Tensor  # (b, n), 0 behind the end of a sentence
    at: Tensor  # (b,)


def demos(language: str) -> list[Reading]:
    """The readings shown on the page, none of which is learned from."""
    return [r for sentence, senses in GRAMMARS[language].demos.items() for r in readings(language, sentence, senses)]


def readings(language: str, sentence: str, senses: Iterable[str]) -> list[Reading]:
    """A reading for each word asked about in a sentence."""
    words = tuple(sentence.split())
    places = [i for i, word in enumerate(words) if word in GRAMMARS[language].targets]
    return [Reading(words, at, sense) for at, sense in zip(places, senses, strict=True)]


def vocabulary(language: str) -> list[str]:
    """Every word of the language, in a fixed order."""
    g = GRAMMARS[language]
    clues = [clue for senses in g.targets.values() for clues in senses.values() for clue in clues]
    joints = " ".join(g.orders).format(clues="", who="", targets="").split() + g.joined.split()
    return list(dict.fromkeys((*g.subjects, *g.verbs, *g.targets, *clues, *joints)))


def said(language: str, order: int, who: str, asked: Sequence[tuple[str, str]], clues: Sequence[str]) -> list[Reading]:
    """The readings of one sentence: `asked` holds each word asked about and its sense, both in the sentence's order."""
    g = GRAMMARS[language]
    targets = g.joined.join(target for target, _ in asked)
    sentence = g.orders[order].format(who=who, targets=targets, clues=g.joined.join(clues))
    return readings(language, sentence, [sense for _, sense in asked])


def corpus(language: str, size: int = 300, seed: int = 0) -> list[Reading]:
    """The readings of `size` different sentences to learn from.

    None of them stands in `exam` or `demos`, and no two clues that meet there meet here.
    """
    choose, g = random.Random(seed), GRAMMARS[language]
    held_out = {r.words for kind in exam(language).values() for r in kind} | {r.words for r in demos(language)}
    together = {clues_of(language, words) for words in held_out}
    found: dict[tuple[str, ...], list[Reading]] = {}
    while len(found) < size:
        targets = choose.sample(list(g.targets), choose.choice((1, 2, 2)))
        asked = [(target, choose.choice(list(g.targets[target]))) for target in targets]
        clues = [choose.choice(g.targets[target][sense]) for target, sense in asked]
        choose.shuffle(clues)
        who = f"{choose.choice(g.subjects)} {choose.choice(g.verbs)}"
        new = said(language, choose.randrange(2), who, asked, clues)
        if new[0].words not in held_out and (len(clues) == 1 or frozenset(clues) not in together):
            found[new[0].words] = new
    return [reading for sentence in found.values() for reading in sentence]


def clues_of(language: str, words: Sequence[str]) -> frozenset[str]:
    """The clues among some words."""
    senses = GRAMMARS[language].targets.values()
    return frozenset(words) & {clue for clues in senses for group in clues.values() for clue in group}


def exam(language: str) -> dict[str, list[Reading]]:
    """What is asked after training: "one" word, two of the "same" kind (grown or made, both), two that "differ".

    It is complete: each sentence of two words is there with these two swapped, too, its clues where they are.
    """
    g = GRAMMARS[language]
    who = f"{g.subjects[0]} {g.verbs[0]}"
    found: dict[str, list[Reading]] = {"one": [], "same": [], "differ": []}
    for target, senses in g.targets.items():
        for sense, clues in senses.items():
            for clue, order in itertools.product(clues, range(2)):
                found["one"] += said(language, order, who, [(target, sense)], [clue])
    for pair in itertools.combinations(g.targets, 2):
        for first, second in itertools.product(*(enumerate(g.targets[target].items()) for target in pair)):
            (i, (sense_1, clues_1)), (j, (sense_2, clues_2)) = first, second
            for clues in zip(clues_1, clues_2, strict=True):
                asked = list(zip(pair, (sense_1, sense_2), strict=True))
                for order, a, c in itertools.product(range(2), (asked, asked[::-1]), (clues, clues[::-1])):
                    found["same" if i == j else "differ"] += said(language, order, who, a, c)
    return found


class Senses(nn.Module):
    """Words → vectors → a mix of them for the word asked about → does it mean something that grew, or something made?

    No word looks at one that is asked about, itself included. So all that two such words of a sentence look at is the
    same, and a model that does not know who looks mixes the same for both.

    Args:
        language: "zh" or "en".
        context: what decides how much each word counts, one of CONTEXTS.
    """

    def __init__(self, language: str, context: str = "attention") -> None:
        if language not in GRAMMARS or context not in CONTEXTS:
            rule = f"language must be one of {tuple(GRAMMARS)} and context one of {CONTEXTS}"
            raise ValueError(f"{rule}: they are {language!r} and {context!r}")
        super().__init__()
        self.context, self.targets = context, GRAMMARS[language].targets
        self.number = {word: i for i, word in enumerate(vocabulary(language), start=1)}
        self.embedding = nn.Embedding(len(self.number) + 1, D_MODEL)
        nn.init.normal_(self.embedding.weight, std=SPREAD)
        self.look = SelfAttention(D_MODEL)
        self.decide: nn.Module = nn.Linear(D_MODEL, 2)
        if context.startswith("keys"):
            self.query = nn.Parameter(torch.zeros(D_MODEL))
        if context.endswith("near"):
            self.near = nn.Parameter(torch.zeros(2 * FARTHEST + 1))
        if context == "afterwards":
            self.decide = nn.Sequential(nn.Linear(2 * D_MODEL, D_MODEL), nn.ReLU(), nn.Linear(D_MODEL, 2))

    def forward(self, batch: Batch, hide: Tensor | None = None) -> Tensor:
        """The scores of both senses for each reading, (b, 2); `hide`: a position of each sentence not to look at."""
        mixed = self.mixed(batch, hide)
        if self.context == "afterwards":
            mixed = torch.cat([mixed, self.own(batch)], dim=-1)  # (b, 2 · d_model)
        scores: Tensor = self.decide(mixed)
        return scores

    def mixed(self, batch: Batch, hide: Tensor | None = None) -> Tensor:
        """What the word asked about has after it has looked around, (b, d_model)."""
        V = self.look.W_v(self.embedding(batch.numbers))  # (b, n, d_model)
        row: Tensor = (self.weights(batch, hide)[:, None] @ V)[:, 0]
        return row

    def weights(self, batch: Batch, hide: Tensor | None = None) -> Tensor:
        """How much each word counts for the one asked about, (b, n)."""
        n = batch.numbers.size(1)
        places = torch.arange(n)
        if self.context == "itself":
            return (places == batch.at[:, None]).float()
        asked_about = torch.tensor([self.number[target] for target in self.targets])
        mask = (batch.numbers > 0) & ~torch.isin(batch.numbers, asked_about)
        if hide is not None:
            mask = mask & (places != hide[:, None])
        K = self.look.W_k(self.embedding(batch.numbers))  # (b, n, d_model)
        Q = self.query.expand(len(K), -1) if self.context.startswith("keys") else self.look.W_q(self.own(batch))
        scale = None if self.context in ("attention", "keys", "keys, near") else 0.0  # 0: whatever the words
        bias = None
        if self.context.endswith("near"):
            bias = self.near[(places - batch.at[:, None]).clamp(-FARTHEST, FARTHEST) + FARTHEST][:, None]  # (b, 1, n)
        return attention_weights(Q[:, None], K, mask=mask[:, None], bias=bias, scale=scale)[:, 0]

    def own(self, batch: Batch) -> Tensor:
        """The own vector of the word asked about, the same in each sentence, (b, d_model)."""
        vectors: Tensor = self.embedding(batch.numbers[torch.arange(len(batch.at)), batch.at])
        return vectors

    def read(self, readings: Sequence[Reading]) -> Batch:
        """Readings in numbers."""
        n = max(len(r.words) for r in readings)
        unknown = sorted({word for r in readings for word in r.words} - set(self.number))
        if unknown:
            raise ValueError(f"words must be in the vocabulary: {' '.join(unknown)} are not")
        numbers = [[self.number[word] for word in r.words] + [0] * (n - len(r.words)) for r in readings]
        return Batch(torch.tensor(numbers), torch.tensor([r.at for r in readings]))


def learn(language: str, context: str = "attention", *, size: int = 300, steps: int = 100, seed: int = 0) -> Senses:
    """A model that has read a corpus. Torch's random numbers are left as they were."""
    readings = corpus(language, size, seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Senses(language, context)
    batch = model.read(readings)
    answers = torch.tensor([list(model.targets[r.words[r.at]]).index(r.sense) for r in readings])
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.02, weight_decay=0.3)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(batch), answers)
        loss.backward()
        optimizer.step()
    return model.eval()


@torch.no_grad()
def senses_of(model: Senses, readings: Sequence[Reading], hide: Sequence[int] | None = None) -> list[str]:
    """What the model takes each word for."""
    scores = model(model.read(readings), None if hide is None else torch.tensor(hide))
    best = scores.argmax(dim=-1).tolist()
    return [list(model.targets[r.words[r.at]])[i] for r, i in zip(readings, best, strict=True)]


def accuracy(model: Senses, readings: Sequence[Reading]) -> float:
    """The share of readings that the model gets right."""
    right = sum(said == r.sense for said, r in zip(senses_of(model, readings), readings, strict=True))
    return right / len(readings)


@torch.no_grad()
def heaviest(model: Senses, readings: Sequence[Reading]) -> list[int]:
    """In each sentence the position that counts most for the word asked about."""
    return model.weights(model.read(readings)).argmax(dim=-1).tolist()


def flips(model: Senses, readings: Sequence[Reading], hide: Sequence[int]) -> float:
    """The share of readings that the model changes when one position of each sentence is hidden from it."""
    seen, unseen = senses_of(model, readings), senses_of(model, readings, hide)
    return sum(a != b for a, b in zip(seen, unseen, strict=True)) / len(readings)

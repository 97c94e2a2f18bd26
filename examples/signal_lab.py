"""A signal laboratory: find out how a transmitter emphasises its signal, then undo it.

The channel computes y[n] = gain * (x[n] - a*x[n-1] - b*x[n-2]) + hum, clips and delays it. A message of
integers went through once; the agent sees what arrived, may send test signals of its own, and has to name
the integers that were sent.
"""
import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")
INTEGER = re.compile(r"-?\d{1,3}")


class SignalLabEnv:
    LENGTH = 7  # of the message
    LOUDEST = 40  # amplitude of a test signal
    LONGEST = 6  # samples in a test signal
    TRIES = 2  # at the message

    def __init__(self, max_turns=12, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.emphasis = round(draw.uniform(0.55, 0.95), 2)
        self.second = round(draw.choice([-1, 1]) * draw.uniform(0.1, 0.3), 2)
        self.gain = round(draw.choice([-1, 1]) * draw.uniform(0.4, 2.5), 2)
        self.hum = round(draw.uniform(-6.0, 6.0), 2)
        self.delay = draw.randint(0, 3)
        self.clip = round(abs(self.gain) * draw.uniform(22.0, 30.0) + abs(self.hum), 1)
        self.message = [draw.choice([-1, 1]) * draw.randint(1, 9) for _ in range(self.LENGTH)]
        self.tries = self.TRIES
        self.turn = 0
        self.done = False
        return (
            "A transmitter pre-emphasises what it sends: each output mixes the newest sample with the two before "
            "it, by weights that you do not know, then scales it, adds a constant hum, delays it and clips what is "
            f"too loud. A message of {self.LENGTH} integers between -9 and 9 (none of them 0) arrived as\n"
            f"{self.show(self.message)}\n"
            "Before and after it the line was silent. Find the integers. Actions, one a turn:\n"
            f"\\boxed{{send v v v}} puts up to {self.LONGEST} integers of at most {self.LOUDEST} through the same "
            f"line and shows what arrives; \\boxed{{decode v v v}} names the {self.LENGTH} integers of the message "
            f"({self.TRIES} tries). You have {self.max_turns} turns."
        ), {}

    def transmit(self, samples):
        """What arrives when samples are sent into a silent line, with the silence around them."""
        past = [0] * (self.delay + 2) + list(samples) + [0] * (5 - self.delay)
        arrived = []
        for n in range(2, len(past)):
            mixed = past[n] - self.emphasis * past[n - 1] - self.second * past[n - 2]
            value = self.gain * mixed + self.hum
            arrived.append(max(-self.clip, min(self.clip, value)))
        return arrived

    def show(self, samples):
        return " ".join(f"{value:+.3f}" for value in self.transmit(samples))

    def send(self, samples):
        if not 1 <= len(samples) <= self.LONGEST or max(abs(v) for v in samples) > self.LOUDEST:
            return f"A test signal has 1 to {self.LONGEST} integers of at most {self.LOUDEST}."
        return "Arrived: " + self.show(samples)

    def decode(self, samples):
        self.tries -= 1
        if samples == self.message:
            return "That is the message."
        if self.tries > 0:
            return f"That is not the message. Tries left: {self.tries}."
        return "That is not the message, and it was the last try."

    def act(self, text):
        words = text.lower().split()
        numbers = all(INTEGER.fullmatch(w) for w in words[1:])
        if len(words) > 1 and numbers and words[0] in ("send", "decode"):
            samples = [int(w) for w in words[1:]]
            return self.send(samples) if words[0] == "send" else self.decode(samples)
        return "Actions: send v v v, or decode v v v, with integers; one in a box."

    def step(self, action):
        if self.done:
            return "The line is closed.", 0.0, True, False, {}
        self.turn += 1
        found = BOX.search(action)
        told = self.act(found.group(1)) if found else "Put one action into \\boxed{}."
        if told == "That is the message.":
            self.done = True
            return told, 1.0, True, False, {}
        if self.tries == 0:
            self.done = True
            return told, 0.0, True, False, {}
        if self.turn >= self.max_turns:
            self.done = True
            return told + " The laboratory closes.", 0.0, False, True, {}
        return f"{told} Turns left: {self.max_turns - self.turn}.", 0.0, False, False, {}

    def solution(self):
        return "decode " + " ".join(str(v) for v in self.message)

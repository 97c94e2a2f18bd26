import random

class ChoirTuningEnv:
    """A conductor hears each voice's pitch in cents away from the score and tells singers to shift; voices follow the
    order only in part, by a stubbornness of their own that stays the same."""
    def reset(self, seed=None):
        g = random.Random(seed)
        self.voices = {v: [g.choice([-1, 1]) * g.randint(2, 6) * 20, g.choice([0.5, 0.25, 1.0])] for v in ("alto", "bass", "tenor")}
        self.beats = 0
        return self.listen() + " Say VOICE CENTS.", {}
    def listen(self):
        return ", ".join(f"{v} {cents:+.0f}" for v, (cents, _) in self.voices.items()) + "."
    def solution(self):
        voice = max(self.voices, key=lambda v: abs(self.voices[v][0]))
        cents, follow = self.voices[voice]
        return f"{voice} {round(-cents / follow)}"
    def step(self, action):
        voice, _, shift = action[7:-1].strip().partition(" ")
        if voice not in self.voices or not shift.lstrip("+-").isdigit():
            return "The choir stops singing.", 0.0, True, False, {}
        self.voices[voice][0] += int(shift) * self.voices[voice][1]
        self.beats += 1
        if all(abs(cents) < 5 for cents, _ in self.voices.values()):
            return "A pure chord.", 1.0, True, False, {}
        return self.listen(), 0.0, False, self.beats > 8, {}

package bench

import "fmt"

// trivial does as little as an environment can, so that what is measured is ours.
const trivial = `
class TrivialEnv:
    def reset(self, seed=None):
        self.t = 0
        return f"seed {seed}", {}
    def step(self, action):
        self.t += 1
        return f"{action} {self.t}", 0.5, False, False, {"t": self.t}
`

// withNumpy is trivial in a process that has numpy loaded.
const withNumpy = "import numpy\n" + trivial

// game is the n-th of different small games of twenty turns, like those that are played in a run.
func game(n int) string {
	return fmt.Sprintf(`
import random

class Count%[1]dEnv:
    def reset(self, seed=None):
        self.random = random.Random(seed)
        self.turn, self.lives = 0, 20
        self.total = self.random.randrange(%[2]d)
        return f"The dial of %[2]d marks stands at {self.total}." + self.ask(), {}
    def ask(self):
        move = self.random.randrange(1, 5)
        self.total = (self.total + move) %% %[2]d
        return f" It moves on by {move}. Where is it?"
    def step(self, action):
        right = str(self.total)
        self.turn += 1
        self.lives -= action != "\\boxed{" + right + "}"
        if self.lives < 1 or self.turn == 20:
            return "It is over.", float(self.lives > 0), True, False, {}
        return ("Yes." if self.lives == 20 else f"It was at {right}.") + self.ask(), 0.0, False, False, {}
`, n, n+5)
}

// gameTurns is how long a game lasts.
const gameTurns = 20

// sleeper waits for ever in its first step.
const sleeper = `
import time

class SleeperEnv:
    def reset(self, seed=None):
        return "", {}
    def step(self, action):
        time.sleep(1000)
`

// spinner computes for ever in its first step.
const spinner = `
class SpinnerEnv:
    def reset(self, seed=None):
        return "", {}
    def step(self, action):
        while True:
            pass
`

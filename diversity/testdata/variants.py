"""Writes the 41 environments in variants/: one rotating maze in 41 dresses.

Each has another theme, class name, attribute names, sizes and comments. The rules, and so the code behind the names, are
those of the one maze below. Run it in this folder: python3 variants.py
"""
import pathlib
import random

MAZE = '''import random


class {Place}Maze{Env}:
    """{intro} The {place} turns by a quarter after every {period} steps."""

    def __init__(self, max_turns={budget}, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        {rng} = random.Random(seed)
        self.{size} = {n}
        {cells} = [(x, y) for x in range(self.{size}) for y in range(self.{size})]
        self.{walls} = set({rng}.sample({cells}, {blocked}))
        {free} = [c for c in {cells} if c not in self.{walls}]
        self.{here}, self.{goal} = {rng}.sample({free}, 2)
        self.{steps} = 0
        return self.{look}(), {{}}

    def {look}(self):
        x, y = self.{here}
        {open} = [d for d, (a, b) in self.{moves}.items() if self.{passable}((x + a, y + b))]
        return f"{here_text} {{self.{here}}}. {goal_text} {{self.{goal}}}. {open_text} {{', '.join({open})}}."

    {moves} = {{"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}}

    def {passable}(self, cell):
        return 0 <= min(cell) and max(cell) < self.{size} and cell not in self.{walls}

    def step(self, action):
        # {comment}
        {word} = action.replace("\\\\boxed{{", "").rstrip("}}").strip().lower()
        a, b = self.{moves}.get({word}, (0, 0))
        {there} = (self.{here}[0] + a, self.{here}[1] + b)
        if self.{passable}({there}):
            self.{here} = {there}
        self.{steps} += 1
        if self.{here} == self.{goal}:
            return "{won}", 1.0, True, False, {{}}
        if self.{steps} % {period} == 0:
            self.{walls} = {{(self.{size} - 1 - y, x) for x, y in self.{walls}}} - {{self.{here}, self.{goal}}}
        return self.{look}(), 0.0, False, self.{steps} >= self.max_turns, {{}}
'''

PLACES = """crypt garage abbey hangar orchard reef museum bazaar foundry glacier harbour temple mine library sewer
jungle palace station bunker canyon cellar dungeon fortress garden hospital island kitchen laboratory mansion nursery
observatory prison quarry ruin school theatre university vault warehouse yard zoo""".split()
GOALS = """altar exit gate lift crate pearl portrait spice anvil hut pier idol seam atlas valve orchid throne platform hatch
spring barrel lantern banner fountain ward beacon stove sample attic cradle telescope gallows crane arch desk curtain
lectern safe pallet pump aviary""".split()
HEROES = "a thief|a robot|a monk|a cat|a courier|a guard|a diver|a lost child|an apprentice".split("|")
NAMES = {
    "rng": "rng r draw dice".split(), "size": "size n side width".split(), "cells": "cells spots squares rooms".split(),
    "walls": "walls blocked rubble stones".split(), "free": "free empty floor".split(),
    "here": "here pos at spot".split(), "goal": "goal target exit prize".split(), "steps": "steps turn t moves_made".split(),
    "look": "look describe view report".split(), "moves": "moves DIRS STEPS WAYS".split(),
    "passable": "passable is_free can_enter clear".split(), "open": "ways free_dirs options".split(),
    "word": "word move way direction".split(), "there": "there new ahead".split(),
}
COMMENTS = ["Walk if the way is free.", "Move, then turn the walls.", "A wall costs a turn.", "Anything else stands still."]


def main():
    folder = pathlib.Path("variants")
    folder.mkdir(exist_ok=True)
    assert len(PLACES) == len(GOALS) == 41
    for i, (place, goal) in enumerate(zip(PLACES, GOALS)):
        rng = random.Random(i)
        hero = rng.choice(HEROES)
        n = rng.randint(5, 8)
        names = {key: rng.choice(choices) for key, choices in NAMES.items()}
        intro = rng.choice([f"You are {hero} in a {place}. Reach the {goal}.", f"Lead {hero} through the {place} to the {goal}."])
        text = MAZE.format(
            Place=place.title(), Env="Env", place=place, intro=intro, period=rng.randint(3, 6), budget=rng.randint(16, 25),
            n=n, blocked=n * n // 4, comment=rng.choice(COMMENTS), here_text=rng.choice(["You stand at", "Your place is"]),
            goal_text=f"The {goal} is at", open_text=rng.choice(["You can go", "Open ways:"]),
            won=rng.choice([f"You reach the {goal}.", f"The {goal} is yours."]), **names)
        (folder / f"{i:02d}_{place}.py").write_text(text)


if __name__ == "__main__":
    main()

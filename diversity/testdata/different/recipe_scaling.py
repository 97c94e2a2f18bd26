import random
from fractions import Fraction

class RecipeScalingEnv:
    """Scale the amounts of a recipe to another number of guests; answer each as a reduced fraction of a cup."""
    FOODS = ["flour", "milk", "sugar", "butter", "rice", "oats"]
    def reset(self, seed=None):
        rng = random.Random(seed)
        self.base, self.guests = rng.choice([4, 6, 8]), rng.choice([5, 7, 9, 10])
        self.todo = [(food, Fraction(rng.randint(1, 9), rng.choice([2, 3, 4]))) for food in rng.sample(self.FOODS, 3)]
        return f"The recipe feeds {self.base}; cook for {self.guests}. " + self.ask(), {}
    def ask(self):
        food, amount = self.todo[0]
        return f"It wants {amount} cups of {food}. How many cups of it do you need?"
    def solution(self):
        return str(self.todo[0][1] * self.guests / self.base)
    def step(self, action):
        try:
            said = Fraction(action[7:-1].strip())
        except (ValueError, ZeroDivisionError):
            said = None
        if said is None or str(said) != self.solution():
            return "The dough fails.", 0.0, True, False, {}
        self.todo.pop(0)
        if not self.todo:
            return "Dinner is served.", 1.0, True, False, {}
        return self.ask(), 0.0, False, False, {}

"""What an instance process does: load one environment's source and answer requests about its instances.

Nothing here is trusted: whoever reads the answers treats this process as the environment itself. The checks
below only give faults better names than "protocol violation".

A request frame is a 4-byte big-endian length and the JSON object {"nonce", "ops": [[kind, number, argument], …]}:

    ["load", 0, source]       -> [class, kind, has solution]
    ["new", n, max turns]     -> [the instance's own max_turns or 0]
    ["reset", n, seed]        -> [observation, info as JSON]
    ["step", n, action]       -> [observation, reward, terminated, truncated, info as JSON]
    ["solution", n, null]     -> [has solution, text]
    ["close", n, null]        -> []

It is answered by {"nonce", "results": [{"ok": […]} or {"fault": [outcome, phase, message, trace]}, …], "printed":
new text}, one result per operation, in this order and without white space. The answer is put together by hand,
since a step takes hardly longer than a general encoder would.

Within one request, the steps and solutions of an instance after a fault or the end of its episode are left out up to
its next reset, and answered by {"left": "out"}.
"""
import abc  # noqa: F401  Some modules are imported only so that instances find them loaded.
import collections
import dataclasses  # noqa: F401
import enum  # noqa: F401
import functools  # noqa: F401
import gc
import importlib
import io
import itertools  # noqa: F401
import json
import math
import os
import random
import re  # noqa: F401
import string  # noqa: F401
import sys
import types
import typing  # noqa: F401

import tool_use_base_env

MODULE = "spade_environment"
FILE = "environment.py"
READ = 16 << 10  # the most that is read at once
EMPTY = ',"{}"'  # an info without entries
PRINTED = 64 << 10
TRACE_LINES = 8
MAX_TURNS = 25  # for constructors that insist on a number

# Names that an environment may use without importing them: name -> where it is found.
NAMES = {name: (name, None) for name in (
    "collections", "copy", "functools", "heapq", "itertools", "json", "math", "operator", "random", "re",
    "statistics", "string", "numpy")}
NAMES["np"] = ("numpy", None)
NAMES["ToolUseBaseEnv"] = ("tool_use_base_env", "ToolUseBaseEnv")
for _module, _names in {
    "collections": "deque defaultdict Counter OrderedDict namedtuple",
    "itertools": "combinations permutations product chain accumulate",
    "functools": "reduce lru_cache",
    "copy": "deepcopy",
    "heapq": "heappush heappop",
    "typing": "Any Callable Dict FrozenSet Generator Iterable Iterator List Literal Mapping NamedTuple Optional "
              "Sequence Set Tuple Type TypedDict TypeVar Union",
}.items():
    for _name in _names.split():
        NAMES[_name] = (_module, _name)


def prepare(packages):
    """Runs once in the fork server, before any instance exists."""
    random_functions_follow_instance()
    if packages:
        sys.path.append(packages)
        try:
            numpy = importlib.import_module("numpy")
            importlib.import_module("numpy.random")
        except ImportError:
            return
        numpy_functions_follow_instance(numpy)


def freeze():
    """Moves everything that exists out of the collector's sight, so that instances share its memory."""
    gc.collect()
    gc.freeze()
    gc.disable()


# The global generators. Every instance of an environment has its own, so that instances in one process do not
# disturb each other. The functions of the module random become calls on random._inst, which is switched before
# each operation; "from random import randint" then imports one that follows the switch.

def random_functions_follow_instance():
    for name, function in list(vars(random).items()):
        if getattr(function, "__self__", None) is random._inst:
            setattr(random, name, follower(name, lambda: random._inst))


class NumpyState:
    """The legacy numpy generator of one instance, made when it is first used."""
    current = None
    RandomState = None

    def __init__(self):
        self.generator = None

    def get(self):
        if self.generator is None:
            self.generator = NumpyState.RandomState()
        return self.generator


def numpy_functions_follow_instance(numpy):
    NumpyState.RandomState = numpy.random.RandomState
    NumpyState.current = NumpyState()
    shared = numpy.random.mtrand._rand
    for name in dir(numpy.random):
        function = getattr(numpy.random, name)
        if getattr(function, "__self__", None) is shared:
            setattr(numpy.random, name, follower(name, lambda: NumpyState.current.get()))
    numpy.random.seed = follower("seed", lambda: NumpyState.current.get())


def follower(name, generator):
    def call(*args, **kwargs):
        return getattr(generator(), name)(*args, **kwargs)
    call.__name__ = call.__qualname__ = name
    call.__module__ = "random"
    return call


class Refused(Exception):
    """An answer of the environment that we do not pass on."""

    def __init__(self, outcome, message):
        super().__init__(message)
        self.outcome = outcome


class Printed(io.TextIOBase):
    """Standard output and error: the first 64 KiB are kept, the rest is dropped."""

    def __init__(self):
        self.left = PRINTED
        self.parts = []

    def writable(self):
        return True

    def write(self, text):
        if self.left > 0:
            part = text[:self.left]
            self.left -= len(part)
            self.parts.append(str.encode(part, "utf-8", "replace").decode())
        return len(text)

    def take(self):
        text = "".join(self.parts)
        self.parts.clear()
        return text


class Instance:
    """One object of the environment's class, with the global generators that it sees."""
    __slots__ = ("env", "generator", "numpy")

    def __init__(self):
        self.env = None
        self.generator = random.Random()
        self.numpy = NumpyState()

    def switch(self):
        random._inst = self.generator
        NumpyState.current = self.numpy


class Harness:
    def __init__(self, fd, observation):
        self.fd = fd
        self.observation_limit = observation
        self.instances = {}
        self.over = set()  # instances whose steps and solutions are left out in the present request
        self.loaded = None
        self.source = []
        self.printed = Printed()
        # Bound here, because an environment may replace what the modules hold.
        self.read, self.write, self.exit = os.read, os.write, os._exit
        self.decode = json.JSONDecoder().raw_decode
        self.quote = json.encoder.encode_basestring
        self.open_containers = {}
        self.encode_info = json.encoder.c_make_encoder(
            self.open_containers, plain, self.quote, None, ":", ",", False, False, True)
        self.operations = {"step": self.step, "reset": self.reset, "new": self.new, "solution": self.solution,
                           "close": self.close, "load": self.load}

    # Frames.

    def serve(self):
        sys.stdout = sys.stderr = self.printed
        gc.enable()
        self.send('{"ready":true}')
        while True:
            request = self.receive()
            self.over.clear()
            results = ",".join([self.perform(*op) for op in request["ops"]])
            printed = self.quote(self.printed.take()) if self.printed.parts else '""'
            self.send(f'{{"nonce":"{request["nonce"]}","results":[{results}],"printed":{printed}}}')

    def receive(self):
        data = self.read(self.fd, READ)
        while len(data) < 4:
            data += self.more()
        length = 4 + int.from_bytes(data[:4], "big")
        if len(data) < length:
            parts, have = [data], len(data)
            while have < length:
                parts.append(self.more())
                have += len(parts[-1])
            data = b"".join(parts)
        return self.decode(data[4:].decode())[0]

    def more(self):
        data = self.read(self.fd, READ)
        if not data:
            self.exit(0)
        return data

    def send(self, answer):
        data = answer.encode()
        data = len(data).to_bytes(4, "big") + data
        while data:
            data = data[self.write(self.fd, data):]

    # Operations. Each returns the fields of its answer, in JSON.

    def perform(self, kind, number, argument):
        if number in self.over and kind in ("step", "solution"):
            return '{"left":"out"}'
        try:
            return f'{{"ok":[{self.operations[kind](number, argument)}]}}'
        except Refused as e:
            return self.fault(number, e.outcome, kind, str(e))
        except MemoryError as e:
            return self.fault(number, "memory_limit", kind, "MemoryError: out of memory", e)
        except BaseException as e:
            phase = "syntax" if kind == "load" and self.loaded is None else kind
            return self.fault(number, "env_error", phase, describe(e), e)

    def fault(self, number, outcome, phase, message, error=None):
        self.over.add(number)
        trace = self.trace(error) if error else ""
        return f'{{"fault":["{outcome}","{phase}",{self.quote(message)},{self.quote(trace)}]}}'

    def load(self, _, source):
        self.source = source.splitlines()
        code = compile(source, FILE, "exec", dont_inherit=True)
        module = types.ModuleType(MODULE)
        module.__file__ = FILE
        sys.modules[MODULE] = module
        self.loaded = module
        for name in names_read(code) & NAMES.keys():
            supply(module, name)
        exec(code, vars(module))
        self.cls = choose_class(module)
        kind = "tool_use" if issubclass(self.cls, tool_use_base_env.ToolUseBaseEnv) else "game"
        solution = "true" if callable(getattr(self.cls, "solution", None)) else "false"
        return f'{self.quote(self.cls.__name__)},"{kind}",{solution}'

    def new(self, number, max_turns):
        instance = Instance()
        instance.switch()
        instance.env = construct(self.cls, max_turns)
        self.instances[number] = instance
        own = getattr(instance.env, "max_turns", 0)
        return str(own) if type(own) is int and 0 < own < 1 << 31 else "0"

    def reset(self, number, seed):
        env = self.enter(number)
        if isinstance(env, tool_use_base_env.ToolUseBaseEnv):
            tool_use_base_env.ToolUseBaseEnv.begin(env)
        result = env.reset(seed=seed)
        if isinstance(result, str):
            result = (result, {})
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise Refused("invalid_observation", f"reset returned {shape(result)}, not an observation and an info dict")
        observation, info = result
        answer = self.text(observation) + self.info(info)
        self.over.discard(number)
        return answer

    def step(self, number, action):
        result = self.enter(number).step(action)
        if not isinstance(result, (tuple, list)) or len(result) != 5:
            raise Refused("invalid_observation", f"step returned {shape(result)}, not its five values")
        observation, reward, terminated, truncated, info = result
        text, paid = self.text(observation), number_text(reward)
        ends = flag("terminated", terminated), flag("truncated", truncated)
        answer = f"{text},{paid},{ends[0]},{ends[1]}{self.info(info)}"
        if "true" in ends:
            self.over.add(number)
        return answer

    def solution(self, number, _):
        env = self.enter(number)
        solve = getattr(env, "solution", None)
        if not callable(solve):
            return 'false,""'
        answer = solve()
        if isinstance(answer, (list, tuple)):
            answer = "\n".join(map(str, answer))
        return "true," + self.text("" if answer is None else str(answer))

    def close(self, number, _):
        del self.instances[number]
        return ""

    def enter(self, number):
        instance = self.instances[number]
        instance.switch()
        return instance.env

    # What the environment returned.

    def text(self, value):
        if type(value) is str and value.isascii() and len(value) <= self.observation_limit:
            return self.quote(value)
        if not isinstance(value, str):
            raise Refused("invalid_observation", f"the observation is {shape(value)}, not a text")
        value = str.__str__(value)
        try:
            size = len(value.encode())
        except UnicodeEncodeError:
            raise Refused("invalid_observation", "the observation holds half of a surrogate pair") from None
        if size > self.observation_limit:
            raise Refused("output_limit", f"the observation has {size} bytes; {self.observation_limit} are allowed")
        return self.quote(value)

    def info(self, value):
        """The last field of an answer, with the comma before it."""
        if not isinstance(value, dict):
            raise Refused("invalid_observation", f"info is {shape(value)}, not a dict")
        if not value:
            return EMPTY
        try:
            text = "".join(self.encode_info(value, 0))
            size = len(text.encode())
        except (TypeError, ValueError) as e:
            raise Refused("invalid_observation", f"info cannot be written as JSON: {e}") from None
        finally:
            self.open_containers.clear()
        if size > self.observation_limit:
            raise Refused("output_limit", f"info has {size} bytes; {self.observation_limit} are allowed")
        return "," + self.quote(text)

    def trace(self, error):
        lines = []
        tb = error.__traceback__
        while tb is not None:
            code = tb.tb_frame.f_code
            if code.co_filename == FILE:
                line = tb.tb_lineno or 0  # code that was changed may have no lines
                text = self.source[line - 1].strip()[:200] if 0 < line <= len(self.source) else ""
                lines.append(f"line {line}, in {code.co_name[:200]}: {text}")
            tb = tb.tb_next
        return str.encode("\n".join(lines[-TRACE_LINES:]), "utf-8", "replace").decode()


def names_read(code):
    """Every name that code mentions, in functions and classes inside it too."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= names_read(constant)
    return names


def supply(module, name):
    where, attribute = NAMES[name]
    try:
        found = importlib.import_module(where)
    except ImportError:
        return  # using the name then says that it is not defined
    setattr(module, name, getattr(found, attribute) if attribute else found)


def choose_class(module):
    """The last concrete class named …Env that has reset and step; else the last class that has both. A class
    that another candidate derives from gives way to it."""
    found = [value for value in vars(module).values()
             if isinstance(value, type) and value.__module__ == MODULE and not getattr(value, "__abstractmethods__", None)
             and callable(getattr(value, "reset", None)) and callable(getattr(value, "step", None))]
    for candidates in ([c for c in found if c.__name__.endswith("Env")], found):
        leaves = [c for c in candidates if not any(c is not other and issubclass(other, c) for other in candidates)]
        if leaves:
            return leaves[-1]
    raise Refused("env_error", "no class has both reset and step")


def construct(cls, limit):
    """An object of cls. max_turns is left to the class unless it has no default of its own or one above limit."""
    accepts, default = max_turns_parameter(cls)
    if not accepts:
        return cls()
    if default is None:
        return cls(max_turns=limit or MAX_TURNS)
    if limit and type(default) is int and default > limit:
        return cls(max_turns=limit)
    return cls()


def max_turns_parameter(cls):
    """Whether the constructor names a parameter max_turns, and its default (None if it has none)."""
    init = getattr(cls, "__init__", None)
    code = getattr(init, "__code__", None)
    if code is None:
        return False, None
    positional = code.co_varnames[:code.co_argcount]
    if "max_turns" in positional:
        defaults = init.__defaults__ or ()
        at = positional.index("max_turns") - (len(positional) - len(defaults))
        return True, defaults[at] if at >= 0 else None
    if "max_turns" in code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]:
        return True, (init.__kwdefaults__ or {}).get("max_turns")
    return False, None


def scalar(value):
    """Numpy's numbers and booleans as Python's own."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        return value.item()
    return value


def number_text(reward):
    if type(reward) is float and -math.inf < reward < math.inf:
        return repr(reward)
    reward = scalar(reward)
    if isinstance(reward, bool) or not isinstance(reward, (int, float)):
        raise Refused("invalid_reward", f"the reward is {shape(reward)}, not a number")
    try:
        reward = float(reward)
    except OverflowError:
        reward = math.inf
    if not math.isfinite(reward):
        raise Refused("invalid_reward", f"the reward is {reward}")
    return repr(reward)


def flag(name, value):
    if value is True:
        return "true"
    if value is False:
        return "false"
    value = scalar(value)
    if not isinstance(value, bool):
        raise Refused("invalid_observation", f"{name} is {shape(value)}, not a bool")
    return "true" if value else "false"


def plain(value):
    """Something that JSON can hold in the place of value. Never an address, which would differ every time."""
    value = scalar(value)
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if isinstance(value, (collections.deque, range)):
        return list(value)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        return value.tolist()
    return f"<{type(value).__name__}>"


def shape(value):
    if value is None:
        return "None"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    return f"of type {type(value).__name__}"


def describe(error):
    try:
        text = f"{type(error).__name__}: {error}"
    except Exception:
        text = f"{type(error).__name__}: (its text cannot be printed)"
    return str.encode(text[:1000], "utf-8", "replace").decode()

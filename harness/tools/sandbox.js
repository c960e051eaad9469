// The fixed half of exec_js: reads {code, input} from stdin, runs the code, writes frames to stdout.
// A frame is a line of JSON: {"out": text}, {"err": text}, and at last {"end": {...}}. The code gets
// no permission from Deno; what is taken away below would only tempt it, or keep state between runs.

const AsyncFunction = (async () => {}).constructor;
const { stdin, stdout, exit, inspect } = Deno;
const [MAX_TEXT, MAX_VALUE, MAX_NODES, MAX_DEPTH, MAX_DIGITS] = [64_000, 256_000, 200_000, 100, 4_000];
const { stringify, parse, rawJSON } = JSON;
const encoder = new TextEncoder();
const NO_ACCESS = "This sandbox has no files, network, environment or other programs.";
const FORBIDDEN = /NotCapable|--allow-\w+|--no-(remote|npm)|--cached-only|Requires \w+ access|Deno is not defined|ext:|relative URL/;

function write(frame) {
  let bytes = encoder.encode(stringify(frame) + "\n");
  while (bytes.length) bytes = bytes.subarray(stdout.writeSync(bytes));
}

function readAll() {
  const parts = [];
  const buffer = new Uint8Array(65536);
  for (let n; (n = stdin.readSync(buffer)) !== null; ) parts.push(buffer.slice(0, n));
  return new Blob(parts).text();
}

// console.log and its kin, cut off after MAX_TEXT characters a stream.
const used = { out: 0, err: 0 };
function print(stream, args) {
  const room = MAX_TEXT - used[stream];
  const text = filled(args).map((a) => (typeof a === "string" ? a : show(a))).join(" ") + "\n";
  used[stream] += text.length;
  if (room > 0) write({ [stream]: text.slice(0, room) });
}

// "%s has %d" with its values in it.
const FILLS = { s: (v) => (typeof v === "string" ? v : show(v)), d: Number, i: parseInt, f: parseFloat, c: () => "" };
function filled(args) {
  const [first, ...rest] = args;
  if (typeof first !== "string" || !rest.length) return args;
  const fill = (mark, kind) => (kind === "%" ? "%" : rest.length ? (FILLS[kind] ?? show)(rest.shift()) : mark);
  return [first.replace(/%([sdifoOjc%])/g, fill), ...rest];
}

function show(value) {
  try {
    return inspect(value, { depth: 6, iterableLimit: 1000, strAbbreviateSize: 10_000 });
  } catch {
    return "[unprintable]";
  }
}

const log = (...args) => print("out", args);
const warn = (...args) => print("err", args);
const nothing = () => {};
globalThis.console = {
  log, info: log, debug: log, dir: (value) => log(value), table: (value) => log(value),
  warn, error: warn, trace: warn, assert: (ok, ...args) => ok || warn("Assertion failed:", ...args),
  group: log, groupCollapsed: log, groupEnd: nothing, count: nothing, countReset: nothing,
  time: nothing, timeEnd: nothing, timeLog: nothing, clear: nothing,
};

// A value as JSON can carry it; whole numbers stay whole, whatever their size.
function plain(value, seen, budget) {
  if (--budget.nodes < 0) throw new RangeError(`the value has more than ${MAX_NODES} parts`);
  switch (typeof value) {
    case "bigint": {
      const digits = String(value);
      return digits.length > MAX_DIGITS ? digits : rawJSON(digits);
    }
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "function":
      return `[function ${value.name || "anonymous"}]`;
    case "symbol":
      return String(value);
    case "undefined":
      return null;
    case "object":
      return value === null ? null : plainObject(value, seen, budget);
    default:
      return value;
  }
}

function plainObject(value, seen, budget) {
  if (seen.includes(value)) return "[circular]";
  if (seen.length >= MAX_DEPTH) return "[too deep]";
  const inner = [...seen, value];
  const each = (item) => plain(item, inner, budget);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Promise) return "[promise: await it]";
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return value.valueOf();
  if (value instanceof Map) return plainMap(value, each);
  if (value instanceof Set) return Array.from(value, each);
  if (value instanceof ArrayBuffer) return each(new Uint8Array(value));
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return Array.from(value, each);
  if (Array.isArray(value)) return Array.from(value, each);
  if (typeof value.toJSON === "function") return each(value.toJSON());
  const kept = Object.entries(value).filter(([, item]) => item !== undefined && typeof item !== "function");
  return Object.fromEntries(kept.map(([key, item]) => [key, each(item)]));
}

function plainMap(map, each) {
  const entries = [...map];
  return entries.every(([key]) => typeof key === "string")
    ? Object.fromEntries(entries.map(([key, item]) => [key, each(item)]))
    : entries.map(([key, item]) => [each(key), each(item)]);
}

// Where in the code an error arose; the body of an AsyncFunction begins at line 3.
function lineOf(error) {
  const place = /<anonymous>:(\d+):\d+/.exec(String(error?.stack ?? "").replaceAll("eval at <anonymous>", ""));
  const line = place ? Number(place[1]) - 2 : 0;
  return line > 0 ? line : null;
}

function describe(error) {
  let text;
  try {
    text = error instanceof Error || error?.message ? `${error.name ?? "Error"}: ${error.message}` : `Uncaught: ${show(error)}`;
  } catch {
    text = "an error that can't be read";
  }
  if (FORBIDDEN.test(text)) text = NO_ACCESS;
  return text.slice(0, 2000);
}

function end(result) {
  const dropped = { out: Math.max(0, used.out - MAX_TEXT), err: Math.max(0, used.err - MAX_TEXT) };
  write({ end: { ...result, dropped } });
  exit(0);
}

function fail(error) {
  end({ ok: false, error: describe(error), line: lineOf(error) });
}

// An expression is its value, so that `1 + 1` answers 2; anything else has to `return`.
async function compile(code) {
  try {
    return new AsyncFunction("input", `return (${code}\n);`);
  } catch {
    try {
      return new AsyncFunction("input", code);
    } catch (error) {
      end({ ok: false, error: describe(error), line: await lineOfSyntax(code) });
    }
  }
}

// V8 does not tell where in a function's text an error is, but it does of a module's.
async function lineOfSyntax(code) {
  const text = `export async function run(input) {\n${code}\n}`;
  try {
    await import(`data:text/javascript,${encodeURIComponent(text)}`);
  } catch (error) {
    const place = /:(\d+):\d+\s*$/.exec(String(error.message));
    return place ? Number(place[1]) - 1 : null;
  }
  return null;
}

// Numbers that a double can't hold come in as BigInt rather than as something near them.
function parseInput(text) {
  if (text === null) return undefined;
  const exact = (_, value, context) =>
    typeof value === "number" && /^-?\d+$/.test(context.source) && !Number.isSafeInteger(value)
      ? BigInt(context.source)
      : value;
  try {
    return /\d{16}/.test(text) ? parse(text, exact) : parse(text);
  } catch {
    return text;
  }
}

const { code, input } = parse(await readAll());
const run = await compile(code);
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  fail(event.reason);
});
addEventListener("error", (event) => {
  event.preventDefault();
  fail(event.error);
});
for (const name of ["Deno", "process", "Worker", "localStorage", "sessionStorage", "caches", "fetch",
  "WebSocket", "WebSocketStream", "EventSource", "BroadcastChannel", "prompt", "alert", "confirm",
  "close", "onunload", "navigator", "location"]) {
  delete globalThis[name];
}
let value;
try {
  value = await run(parseInput(input));
  const text = stringify(plain(value, [], { nodes: MAX_NODES }));
  if (text.length > MAX_VALUE) {
    throw new RangeError(`the value is ${text.length} characters of JSON; return less (at most ${MAX_VALUE})`);
  }
  end({ ok: true, value: text, nothing: value === undefined });
} catch (error) {
  fail(error);
}


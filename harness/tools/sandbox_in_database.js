// What sandbox.js asks of Deno, for an engine that has nothing but the language. It goes before that
// script; the line that hands the frames over goes behind it.
(async () => {
const bindings = BINDINGS;
const request = String(bindings.importValue("request"));
const frames = [];
let ended = false;
const Deno = {
  stdin: { readSync: () => null },
  stdout: { writeSync: (bytes) => { if (!ended) frames.push(bytes.text); return bytes.length; } },
  exit: () => { ended = true; },
  inspect: (value) => {
    const seen = new Set();
    return JSON.stringify(value, (_, item) => {
      if (typeof item === "bigint") return `${item}n`;
      if (typeof item === "function") return `[Function: ${item.name}]`;
      if (item instanceof Map || item instanceof Set) return [...item];
      if (item && typeof item === "object") {
        if (seen.has(item)) return "[Circular]";
        seen.add(item);
      }
      return item;
    }) ?? String(value);
  },
};
class TextEncoder {
  encode(text) { return { text, length: text.length, subarray: () => ({ length: 0 }) }; }
}
class Blob {
  text() { return Promise.resolve(request); }
}
const addEventListener = () => {};

import { EVENT_ID, getScalarValue, SCALAR_STYLE, type Event, type ScalarEvent } from 'js-yaml';
import { cut } from '#lib/text/text.js';
import { plainType } from '#lib/yaml/yaml.js';
import { readEvents } from '#lib/yaml/yaml-breaks.js';
import { typeWords } from './schema-fields.js';
import { choicesAt, isUnknownKey, typesAt, type SchemaTree, type Spot } from './schema-spot.js';

/** What a schema does not allow, and where. Both count from 1. */
export interface Finding {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

export interface Findings {
  readonly findings: readonly Finding[];
  /** True: there are more. */
  readonly isCut: boolean;
}

const MOST_FINDINGS = 20;
const MOST_CHARACTERS = 200;
const NONE: Findings = { findings: [], isCut: false };
/** Of what no schema is known. */
const UNKNOWN: Spot = [];

type Type = 'object' | 'array' | ReturnType<typeof plainType>;

/** A map or a list that is open. */
interface Frame {
  readonly spot: Spot;
  readonly isMap: boolean;
  /** Of the map; undefined: a key comes next. */
  value: Spot | undefined;
  items: number;
}

function shown(text: string): string {
  return JSON.stringify(cut(text, MOST_CHARACTERS));
}

const NAMES: Readonly<Record<Type, string>> = {
  object: 'a map',
  array: 'a list',
  null: 'nothing',
  boolean: 'a boolean',
  integer: 'a number',
  number: 'a number',
  string: 'a text',
};

function isOf(type: Type, allowed: readonly unknown[]): boolean {
  return allowed.includes(type) || (type === 'integer' && allowed.includes('number'));
}

/** Texts are compared as they stand, and so are numbers that are written as JSON has them. */
function isChoice(text: string, type: Type, choices: readonly unknown[]): boolean {
  return choices.some((choice) => String(choice) === text && isOf(type, [typeof choice]));
}

class Walk {
  readonly findings: Finding[] = [];
  isCut = false;
  readonly #frames: Frame[] = [];
  #line = 1;
  #lineStart = 0;
  readonly #text: string;
  readonly #source: string;
  readonly #tree: SchemaTree;

  constructor(text: string, source: string, tree: SchemaTree) {
    this.#text = text;
    this.#source = source;
    this.#tree = tree;
  }

  take(event: Event): void {
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        this.#frames.length = 0;
        return;
      case EVENT_ID.POP:
        this.#frames.pop();
        return;
      case EVENT_ID.ALIAS:
        this.#next();
        return;
      case EVENT_ID.SCALAR:
        this.#scalar(event);
        return;
      default:
        this.#open(event);
    }
  }

  /** What is known of the node that begins; it is the next of its list, or the value of the last key. */
  #next(): Spot {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return this.#tree.top;
    if (!frame.isMap) {
      frame.items += 1;
      return this.#tree.below(frame.spot, frame.items - 1);
    }
    const value = frame.value ?? UNKNOWN;
    // A key that is no text is one that nothing is known of.
    frame.value = frame.value === undefined ? UNKNOWN : undefined;
    return value;
  }

  #open(event: Event & { readonly start: number; readonly tagStart: number }): void {
    const isMap = event.type === EVENT_ID.MAPPING;
    const spot = this.#next();
    if (event.tagStart < 0) this.#check(spot, isMap ? 'object' : 'array', { start: event.start });
    this.#frames.push({ spot, isMap, value: undefined, items: 0 });
  }

  #scalar(event: ScalarEvent): void {
    const { valueStart: start, valueEnd, fast, style, tagStart } = event;
    const frame = this.#frames.at(-1);
    const isKey = frame !== undefined && frame.isMap && frame.value === undefined;
    if (isKey && frame.spot.length === 0) {
      frame.value = UNKNOWN;
      return;
    }
    const text = fast ? this.#source.slice(start, valueEnd) : getScalarValue(this.#source, event);
    if (isKey) {
      this.#key(frame, text, start);
      return;
    }
    const spot = this.#next();
    if (tagStart >= 0 || spot.length === 0) return;
    this.#check(spot, style === SCALAR_STYLE.PLAIN ? plainType(text) : 'string', { start, text });
  }

  #key(frame: Frame, text: string, start: number): void {
    frame.value = this.#tree.below(frame.spot, text);
    if (text !== '<<' && isUnknownKey(frame.spot, text)) this.#complain(start, `there is no field ${shown(text)} here`);
  }

  #check(spot: Spot, type: Type, { start, text }: { readonly start: number; readonly text?: string }): void {
    // To Helm and the API server, null takes something away.
    if (type === 'null') return;
    const wrong = typesAt(spot).find((types) => !isOf(type, types));
    if (wrong !== undefined) {
      this.#complain(start, `it must be of type ${typeWords({ type: wrong })}, and is ${NAMES[type]}`);
      return;
    }
    const choices = text === undefined ? [] : choicesAt(spot);
    if (text === undefined || choices.length === 0 || type === 'boolean' || isChoice(text, type, choices)) return;
    this.#complain(start, `it must be ${typeWords({ enum: choices })}, and is ${shown(text)}`);
  }

  #complain(start: number, text: string): void {
    this.isCut = this.findings.length >= MOST_FINDINGS;
    // Scalars with line breaks of their own are read from elsewhere.
    if (this.isCut || start > this.#text.length) return;
    for (let end = this.#text.indexOf('\n', this.#lineStart); end >= 0 && end < start;) {
      this.#line += 1;
      this.#lineStart = end + 1;
      end = this.#text.indexOf('\n', this.#lineStart);
    }
    this.findings.push({ line: this.#line, column: start - this.#lineStart + 1, text });
  }
}

/**
 * What a schema does not allow of a text: keys that it has no room for, other types, and other values than its list has.
 * Only what is sure: what depends on other values, and whether something is missing, the server says. Nothing of a text
 * that cannot be read. Never throws; takes time in proportion to the text.
 */
export function findingsOf(text: string, tree: SchemaTree): Findings {
  try {
    const { events, source } = readEvents(text);
    const walk = new Walk(text, source, tree);
    for (const event of events) {
      walk.take(event);
      if (walk.isCut) break;
    }
    return { findings: walk.findings, isCut: walk.isCut };
  } catch {
    return NONE;
  }
}

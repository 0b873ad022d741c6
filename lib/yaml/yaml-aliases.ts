import { EVENT_ID, SCALAR_STYLE, type Event, type ScalarEvent } from 'js-yaml';
import { MAX_DEPTH } from '../json/nesting.js';

/** go-yaml's figures: so much of a document may come from aliases, less of a large one. */
const SMALL = { nodes: 400_000, share: 0.99 };
const LARGE = { nodes: 4_000_000, share: 0.1 };
const ALWAYS_ALLOWED = { nodes: 1_000, aliased: 100 };
/** Go shares the text of a scalar, which costs memory once it is printed. */
const MAX_ALIASED_BYTES = 16 * 1024 * 1024;

/** Why a YAML text is refused whose aliases would expand to far more than the text. Its message quotes no content. */
export class AliasError extends SyntaxError {
  override readonly name = 'AliasError';
}

interface YamlNode {
  readonly children: YamlNode[];
  /** Bytes of a scalar. */
  readonly size: number;
  readonly isMergeKey: boolean;
  /** What an alias stands for. */
  readonly target?: YamlNode | undefined;
}

function isMergeKey(event: ScalarEvent, text: string): boolean {
  return event.style === SCALAR_STYLE.PLAIN && text.slice(event.valueStart, event.valueEnd) === '<<';
}

function nodeOf(event: Event, text: string, anchors: ReadonlyMap<string, YamlNode>): YamlNode {
  const children: YamlNode[] = [];
  switch (event.type) {
    case EVENT_ID.ALIAS: {
      const target = anchors.get(text.slice(event.anchorStart, event.anchorEnd));
      return { children, size: 0, isMergeKey: false, target };
    }
    case EVENT_ID.SCALAR:
      return { children, size: event.valueEnd - event.valueStart, isMergeKey: isMergeKey(event, text) };
    default:
      return { children, size: 0, isMergeKey: false };
  }
}

/** The nodes of all documents below one root. An alias that names nothing has no target: the constructor refuses it. */
function treeOf(events: readonly Event[], text: string): YamlNode {
  const root: YamlNode = { children: [], size: 0, isMergeKey: false };
  const open = [root];
  const anchors = new Map<string, YamlNode>();
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      open.pop();
      continue;
    }
    const node = nodeOf(event, text, anchors);
    open.at(-1)?.children.push(node);
    if (event.type === EVENT_ID.DOCUMENT) anchors.clear();
    else if (event.type !== EVENT_ID.ALIAS && event.anchorStart >= 0) {
      anchors.set(text.slice(event.anchorStart, event.anchorEnd), node);
    }
    if (event.type !== EVENT_ID.SCALAR && event.type !== EVENT_ID.ALIAS) open.push(node);
  }
  return root;
}

function allowedShare(nodes: number): number {
  const part = (nodes - SMALL.nodes) / (LARGE.nodes - SMALL.nodes);
  return SMALL.share - (SMALL.share - LARGE.share) * Math.min(Math.max(part, 0), 1);
}

/** Visits every node as often as go-yaml's decoder does, until there are too many. */
class Count {
  #nodes = 0;
  #aliased = 0;
  #aliasedBytes = 0;
  readonly #within = new Set<YamlNode>();

  visit(node: YamlNode, depth: number, isAliased: boolean): void {
    this.#nodes += 1;
    if (isAliased) this.#aliased += 1;
    if (isAliased) this.#aliasedBytes += node.size;
    // A text itself nests 100 levels at most.
    if (depth > MAX_DEPTH) throw new AliasError(`aliases nest more than ${MAX_DEPTH} levels`);
    if (this.#isTooMuch()) throw new AliasError('document contains excessive aliasing');
    if (node.target === undefined) this.#visitChildren(node, depth, isAliased);
    else this.#follow(node, node.target, depth);
  }

  #follow(alias: YamlNode, target: YamlNode, depth: number): void {
    if (this.#within.has(alias)) throw new AliasError('an anchor contains itself');
    this.#within.add(alias);
    this.visit(target, depth + 1, true);
    this.#within.delete(alias);
  }

  #visitChildren({ children }: YamlNode, depth: number, isAliased: boolean): void {
    for (const child of children) if (!child.isMergeKey) this.visit(child, depth + 1, isAliased);
  }

  #isTooMuch(): boolean {
    if (this.#aliasedBytes > MAX_ALIASED_BYTES) return true;
    const isSmall = this.#aliased <= ALWAYS_ALLOWED.aliased || this.#nodes <= ALWAYS_ALLOWED.nodes;
    return !isSmall && this.#aliased / this.#nodes > allowedShare(this.#nodes);
  }
}

/**
 * Throws an AliasError when the aliases of a parsed text are in excess by go-yaml's rule (what helm and kubectl accept
 * is accepted), repeat more than 16 MiB of text, nest too deep or contain themselves. Takes time in proportion to the
 * text, and at most that of some 400 000 aliased nodes.
 */
export function refuseExcessiveAliases(events: readonly Event[], text: string): void {
  if (!events.some(({ type }) => type === EVENT_ID.ALIAS)) return;
  const count = new Count();
  for (const document of treeOf(events, text).children) count.visit(document, 0, false);
}

import { bytesOf, textOf, type Bytes } from './bytes.js';
import { costOf, isDefault, operate } from './functions.js';
import { parseTemplate, SyntaxProblem, type Expression, type Part } from './parse.js';

export interface Variable {
  readonly value: Bytes;
  /** It came from a Secret. */
  readonly isSecret: boolean;
}

/** Variables by name. */
export type Variables = ReadonlyMap<string, Variable>;

export type Substituted = { readonly text: string } | SubstitutionProblem;

export interface SubstitutionProblem {
  /** The end of a sentence that names the text. */
  readonly problem: string;
}

/** Steps and bytes of all that one build substitutes: a few short expressions may ask for more than there is memory. */
const MOST_WORK = 64 * 1024 * 1024;

const MOST_SECRETS = 5_000;
const TOO_MUCH = 'the substitution takes too long, or gives too much: shorten it';

class Refusal extends Error {}

/** Substitutes in the texts of one build. */
export class Substitution {
  readonly #variables: Variables;
  readonly #secrets = new Set<Bytes>();
  #work = 0;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  get hasSecrets(): boolean {
    return [...this.#variables.values()].some(({ isSecret }) => isSecret);
  }

  /** What functions made of values from Secrets. */
  get secrets(): Iterable<Bytes> {
    return this.#secrets;
  }

  /** Never throws. */
  substitute(text: string): Substituted {
    if (!text.includes('$')) return { text };
    try {
      const result = textOf(this.#join(parseTemplate(text)));
      return result === undefined
        ? { problem: 'an expression cuts a character in two, or a value is no UTF-8' }
        : { text: result };
    } catch (error: unknown) {
      if (error instanceof SyntaxProblem) return { problem: `line ${error.line} of it: ${error.message}` };
      if (error instanceof Refusal) return { problem: error.message };
      throw error;
    }
  }

  #join(parts: readonly Part[]): Bytes {
    return parts.map((part) => this.#evaluate(part)).join('');
  }

  #evaluate(part: Part): Bytes {
    const result = typeof part === 'string' ? bytesOf(part) : this.#call(part);
    this.#spend(result.length);
    return result;
  }

  #call({ variable, operator, args }: Expression): Bytes {
    const given = args.map((arg) => this.#evaluate(arg));
    const known = this.#variables.get(variable);
    if (known === undefined && !isDefault(operator)) throw new Refusal(notSet(variable));
    const { value = '', isSecret = false } = known ?? {};
    this.#spend(costOf(operator, value, given));
    const result = operate(operator, value, given);
    if (isSecret && operator !== '') this.#keep(result);
    return result;
  }

  /** Each of them is searched for in every message. */
  #keep(secret: Bytes): void {
    this.#secrets.add(secret);
    if (this.#secrets.size > MOST_SECRETS) throw new Refusal(TOO_MUCH);
  }

  #spend(work: number): void {
    this.#work += work;
    if (this.#work > MOST_WORK) throw new Refusal(TOO_MUCH);
  }
}

function notSet(variable: string): string {
  const name = variable.slice(0, 100);
  return (
    `variable ${name} is not set: set it in spec.postBuild, give it a default as in \${${name}:=}, ` +
    `or keep the text: write $\${${name}}, or annotate the object with kustomize.toolkit.fluxcd.io/substitute: disabled`
  );
}

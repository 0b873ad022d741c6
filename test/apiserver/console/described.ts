import { type AnySchema, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** A JSON document, or a part of one. */
type Json = Readonly<Record<string, unknown>>;
type Operations = Readonly<Record<string, { readonly responses?: Json }>>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same description, in which an object has no fields but those that are described. */
function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict);
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, strict(each)]));
  const isOpen = 'additionalProperties' in value || 'x-kubernetes-preserve-unknown-fields' in value;
  return value['type'] === 'object' && isObject(value['properties']) && !isOpen
    ? { ...inner, additionalProperties: false }
    : inner;
}

const pointerPart = (text: string): string => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));

/** A server describes its answers in `/openapi.json`. */
export class Description {
  readonly #paths: Readonly<Record<string, Operations>>;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  readonly #checks = new Map<string, ValidateFunction>();

  constructor(text: string) {
    const description = strict(JSON.parse(text)) as AnySchema & { readonly paths: Record<string, Operations> };
    this.#paths = description.paths;
    this.#ajv.addSchema(description, 'openapi');
  }

  /** How an answer differs from its description; undefined: it does not, or has none. */
  problemOf({ method, path, code }: { method: string; path: string; code: number }, answer: unknown) {
    const template = this.#templateOf(path);
    const operation = template === undefined ? undefined : this.#paths[template]?.[method.toLowerCase()];
    if (template === undefined || operation?.responses?.[code] === undefined) return undefined;
    const place = ['paths', template, method.toLowerCase(), 'responses', String(code)];
    const inside = ['content', 'application/json', 'schema'];
    const check = this.#checkOf([...place, ...inside].map(pointerPart).join('/'));
    if (check === undefined || check(answer)) return undefined;
    return this.#ajv.errorsText(check.errors, { dataVar: 'answer', separator: '\n' });
  }

  /** The path with parameters that a path is of: with the fewest of them. */
  #templateOf(path: string): string | undefined {
    const [asked = ''] = path.split('?');
    const fits = (template: string): boolean =>
      new RegExp(
        `^${template.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{[^}]+\}/g, '[^/]+')}$`,
      ).test(asked);
    const parameters = (template: string): number => template.split('{').length;
    return Object.keys(this.#paths)
      .filter(fits)
      .sort((one, other) => parameters(one) - parameters(other))[0];
  }

  #checkOf(pointer: string): ValidateFunction | undefined {
    const known = this.#checks.get(pointer) ?? this.#ajv.getSchema(`openapi#/${pointer}`);
    if (known !== undefined) this.#checks.set(pointer, known);
    return known;
  }
}

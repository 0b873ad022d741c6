import type { Unstructured } from '#api/meta.js';
import { printYaml } from '#lib/yaml/yaml.js';
import type { ManifestObject, ShownManifest } from '../answers/members.js';
import { withoutSecrets } from '../views/without-secrets.js';

/** Of one release: more is nobody's page. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
const MOST_OBJECTS = 1_000;
const MAX_NAME = 256;

/** What a tenant stored may be anything. */
export function nameText(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MAX_NAME) : '';
}

/** Of which only the name is shown, with a reason. */
export function unshown(
  { apiVersion, kind, namespace, name }: Partial<Record<'apiVersion' | 'kind' | 'namespace' | 'name', unknown>>,
  problem = '',
): ManifestObject {
  const names = { apiVersion: nameText(apiVersion), kind: nameText(kind), namespace: nameText(namespace) };
  return { ...names, name: nameText(name), hook: '', yaml: '', problem };
}

/** Objects as YAML without what Secrets hold, as long as they fit. */
export class ShownObjects {
  readonly #objects: ManifestObject[] = [];
  #left = MAX_CHARACTERS;
  #more = 0;

  /** Others are only counted. */
  get isFull(): boolean {
    return this.#left <= 0 || this.#objects.length >= MOST_OBJECTS;
  }

  skip(): void {
    this.#more += 1;
  }

  /** `hook`: the events that it is run for. */
  add(object: Unstructured, { namespace, hook = '' }: { namespace?: string | undefined; hook?: string } = {}): void {
    if (this.isFull) {
      this.skip();
      return;
    }
    const { apiVersion, kind, metadata } = object;
    const yaml = printYaml(withoutSecrets(object));
    this.#left -= yaml.length;
    const names = { apiVersion, kind, name: metadata.name, namespace: metadata.namespace ?? namespace };
    this.#objects.push({ ...unshown(names), hook, yaml });
  }

  addUnshown(object: ManifestObject): void {
    this.#objects.push(object);
  }

  /** What was added. */
  get shown(): ShownManifest {
    return { objects: this.#objects, more: this.#more };
  }
}

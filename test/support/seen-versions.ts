import type { KubeObject, ResourceType } from '#api/meta.js';
import type { SetupContext } from '#runtime/controller.js';
import { keyOf } from '#lib/kube/keys.js';
import { isNewerVersion } from '#runtime/cache/store.js';

/** Which versions of objects the caches of controllers have brought. */
export class SeenVersions {
  readonly #versions = new Map<string, string>();

  /** Follows these kinds from the start. */
  readonly follow =
    (types: readonly ResourceType[]) =>
    (context: SetupContext): [] => {
      for (const type of types) {
        const cache = context.cache(type, { optional: true });
        cache.onChange(({ object: { metadata } }) =>
          this.#versions.set(`${type.kind} ${keyOf(metadata)}`, metadata.resourceVersion ?? ''),
        );
      }
      return [];
    };

  /** True once the caches have the object in this version or had a later one, be it that of its deletion. */
  include({ kind, metadata }: KubeObject): boolean {
    const seen = this.#versions.get(`${kind} ${keyOf(metadata)}`);
    return seen !== undefined && !isNewerVersion(metadata.resourceVersion, seen);
  }
}

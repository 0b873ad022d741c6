import { printYaml } from '#lib/yaml/yaml.js';

/** Any value as YAML; who has no mouse can scroll it, too. */
export function YamlOf({ value, label }: { value: unknown; label: string }) {
  return (
    <pre class="yaml-of" role="region" aria-label={label} tabIndex={0}>
      {printYaml(value)}
    </pre>
  );
}

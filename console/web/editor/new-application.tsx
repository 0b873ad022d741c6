import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Overview } from '#queries/answers/application.js';
import { printYaml } from '#lib/yaml/yaml.js';
import { newApplication } from './model/application-form.js';
import { request } from '../data/request.js';
import { Editor } from './editor.js';

/** Those that have Applications: who may list them all is not asked of the API server. */
export function useNamespaces(): readonly string[] {
  const [namespaces, set] = useState<readonly string[]>([]);
  useEffect(() => {
    void request<Overview>('/api/v1/overview').then((answer) => {
      if (answer === undefined || 'failure' in answer) return;
      set([...new Set(answer.value.applications.map(({ namespace }) => namespace))].sort());
    });
  }, []);
  return namespaces;
}

/** The form of one that does not exist yet. */
export function NewApplication({ search }: { search: string }) {
  const initial = useMemo(() => {
    const asked = new URLSearchParams(search);
    const textOf = (key: string): string => asked.get(key) ?? '';
    const beginning = { namespace: textOf('namespace'), name: textOf('name'), template: textOf('template') };
    return printYaml(newApplication(beginning));
  }, [search]);
  return <Editor id={`new ${search}`} initial={initial} namespaces={useNamespaces()} />;
}

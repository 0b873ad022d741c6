import { useEffect, useState } from 'preact/hooks';
import type { KnownClusters } from '../model/cluster-choice.js';
import { NO_SOURCES, type KnownSources } from '../model/source-choice.js';
import { request } from '../request.js';

/** What can be chosen in a namespace. Anything else can be typed, so that what cannot be read is only missing. */
function useListed<T>(namespace: string, what: string, nothing: T): T {
  const [listed, set] = useState(nothing);
  useEffect(() => {
    set(nothing);
    if (namespace === '') return;
    const stop = new AbortController();
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/${what}`;
    void request<T>(path, { signal: stop.signal }).then((answer) => {
      if (!stop.signal.aborted && answer !== undefined && 'value' in answer) set(answer.value);
    });
    return () => stop.abort();
  }, [namespace, what]);
  return listed;
}

export function useClusters(namespace: string): KnownClusters {
  return useListed<KnownClusters>(namespace, 'clusters?limit=500', undefined);
}

export function useSources(namespace: string): KnownSources {
  return useListed(namespace, 'sources', NO_SOURCES);
}

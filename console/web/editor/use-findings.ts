import { useEffect, useState } from 'preact/hooks';
import type { SchemaTree } from '../model/schema-spot.js';
import { findingsOf, type Findings } from '../model/yaml-findings.js';
import { pauseMs } from '../model/typing-pause.js';

const NONE: Findings = { findings: [], isCut: false };

/** What the schema does not allow of a text, once nobody types. */
export function useFindings(text: string, tree: SchemaTree | undefined): Findings {
  const [found, set] = useState(NONE);
  useEffect(() => {
    if (tree === undefined) {
      set(NONE);
      return undefined;
    }
    const timer = setTimeout(() => set(findingsOf(text, tree)), pauseMs(text));
    return () => clearTimeout(timer);
  }, [text, tree]);
  return found;
}

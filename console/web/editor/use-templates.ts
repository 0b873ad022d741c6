import { useEffect, useState } from 'preact/hooks';
import type { TemplateItem } from '../../shared/template-item.js';
import { request } from '../request.js';

/** Those that the user may read, up to a page of them; any other one can be typed. */
export function useTemplates(): readonly TemplateItem[] {
  const [templates, set] = useState<readonly TemplateItem[]>([]);
  useEffect(() => {
    void request<{ items: TemplateItem[] }>('/api/v1/templates?limit=500').then((answer) => {
      if (answer !== undefined && 'value' in answer) set(answer.value.items);
    });
  }, []);
  return templates;
}

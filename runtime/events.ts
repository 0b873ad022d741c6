import type { KubeObject } from '#api/meta.js';

/** Writes core/v1 Events on the host cluster; never throws, never blocks a pass. */
export interface EventRecorder {
  /** `reason` PascalCase; the same event within some minutes is counted, not repeated. */
  record(object: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void;
}

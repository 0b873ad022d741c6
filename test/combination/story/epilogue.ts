import { DRY_RUN_ANNOTATION, PAUSE_ROLLOUT_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { ApplicationStep, InventoryStep, MemberStep, ObjectStep, ProcessStep, Step, Story } from './steps.js';

type Bare = ApplicationStep | ObjectStep | InventoryStep | MemberStep | ProcessStep;

function namesIn({ steps }: Story, key: 'app' | 'cluster'): string[] {
  const names = steps.flatMap((step) => {
    const value: unknown = Reflect.get(step, key);
    return typeof value === 'string' ? [value] : [];
  });
  return [...new Set(names)];
}

function at(seconds: number, steps: readonly Bare[]): Step[] {
  return steps.map((step) => ({ ...step, seconds }));
}

/** Somebody looks at the plan of a change before it happens. */
function plannedChange(app: string): Step[] {
  const dryRun = (to: string | null): Bare => ({ do: 'annotate', app, key: DRY_RUN_ANNOTATION, to });
  const change: Bare = { do: 'edit', app, at: 'helm.deploy.0.values.color', to: 'white' };
  return [...at(5, [dryRun('true')]), ...at(60, [change]), ...at(300, [dryRun(null)])];
}

/** Returns the steps after every story: everything is mended, users approve what waits, and hours pass. */
export function epilogueOf(story: Story): Step[] {
  const { members } = story;
  const apps = namesIn(story, 'app');
  const mended = members.flatMap((member) => (['up', 'fast', 'mend'] as const).map((name) => ({ do: name, member })));
  const running = namesIn(story, 'cluster').map(
    (cluster) => ({ do: 'pauseCluster', cluster, isPaused: false }) as const,
  );
  const unready = story.steps.flatMap((step) => (step.do === 'readyCluster' ? [{ ...step, isReady: true }] : []));
  const quota = story.steps.some((step) => step.do === 'quota') ? [{ do: 'quota', isUsedUp: false } as const] : [];
  const resumed = apps.flatMap((app) =>
    [PAUSE_ROLLOUT_ANNOTATION, DRY_RUN_ANNOTATION].map((key) => ({ do: 'annotate', app, key, to: null }) as const),
  );
  const approved = apps.flatMap((app) =>
    (['removals', 'stage'] as const).map((what) => ({ do: 'approve', app, what }) as const),
  );
  return [
    ...at(0, [{ do: 'fresh' }, ...mended, ...running, ...unready, ...quota, ...resumed]),
    ...at(300, approved),
    ...at(300, approved),
    ...at(3_600, [{ do: 'restart' }]),
    ...at(300, approved),
    ...apps.slice(0, 1).flatMap(plannedChange),
    ...at(300, approved),
    { do: 'wait', seconds: 7_200 },
  ];
}

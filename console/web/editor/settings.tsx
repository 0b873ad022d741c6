import { useState } from 'preact/hooks';
import { SETTINGS, settingsIn } from './model/application-form.js';
import { problemAt } from './model/refusal.js';
import { pathText } from './model/three-way.js';
import { Folded } from './folded.js';
import type { FormProps } from './form-props.js';
import { Flag, OneOf, Setting } from './setting.js';

const DELETIONS = [
  ['', 'Not set (Delete)'],
  ['Delete', 'Delete: uninstall them'],
  ['Orphan', 'Orphan: they stay'],
] as const;

function Fields(props: FormProps) {
  const { interval, timeout, history, removals, deletion, suspend } = SETTINGS;
  return (
    <>
      <div class="entries">
        <Setting {...props} label="Interval" path={interval} placeholder="10m" />
        <Setting {...props} label="Timeout" path={timeout} placeholder="5m" />
        <Setting {...props} label="Revisions to keep" path={history} placeholder="10" isCount />
        <OneOf {...props} label="Releases of a deleted Application" path={deletion} choices={DELETIONS} />
        <Setting {...props} label="Removals in an hour" path={removals} placeholder="10 or 20%" isCount />
      </div>
      <Flag
        {...props}
        label="Suspended: nothing is reconciled, and what runs stays, unless a destination says otherwise"
        path={suspend}
      />
    </>
  );
}

/** Fields of the whole Application; folded unless one of them was set. */
export function Settings(props: FormProps) {
  const set = settingsIn(props.value);
  const [isOpen] = useState(set.length > 0);
  const isBad = Object.values(SETTINGS).some((path) => problemAt(props.problems, pathText(path)) !== undefined);
  const title = set.length === 0 ? 'Intervals, revisions, deletion: none is set' : `Set: ${set.join(', ')}`;
  return (
    <fieldset>
      <legend>More settings</legend>
      <ul class="destinations">
        <Folded {...{ title, isBad, isOpen }}>
          <Fields {...props} />
        </Folded>
      </ul>
    </fieldset>
  );
}

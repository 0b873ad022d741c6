import { problemAt } from './model/refusal.js';
import {
  addedStage,
  earlierStage,
  isRest,
  namesEdit,
  removedStage,
  ROLLOUT,
  rolloutEdit,
  rolloutOf,
  rolloutWords,
  type RolloutForm,
  type StageForm,
} from './model/rollout-form.js';
import { pathText } from './model/three-way.js';
import { valueAt } from '../model/yaml-edit.js';
import { Check, Field } from './field.js';
import { Folded } from './folded.js';
import type { FormProps } from './form-props.js';
import { Labels } from './labels.js';
import { Flag, OneOf, Setting } from './setting.js';
import { once, useEntryKeys } from './use-entry-keys.js';

const FAILURES = [
  ['', 'Not set (Pause)'],
  ['Pause', 'Pause: start nothing else'],
  ['Rollback', 'Rollback: go back'],
  ['Continue', 'Continue: go on'],
] as const;

interface StageProps extends FormProps {
  readonly rollout: RolloutForm;
  readonly stage: StageForm;
  readonly index: number;
}

function StageClusters({ stage, ...props }: StageProps) {
  const { problems, edit, value } = props;
  const path = [...stage.path, 'clusters'];
  const isSaid = valueAt(value, path) !== undefined;
  if (isRest(stage) && !isSaid) return <p class="hint">Clusters that are in no other stage.</p>;
  // What is wrong with the whole stands beside the first of its fields.
  const isWhole = problems.some(({ field }) => field === pathText(path));
  return (
    <>
      <Field
        label="Clusters by name"
        value={stage.clusters}
        placeholder="eu-west, eu-east"
        help="As the status of the Application has them, separated by commas."
        problem={problemAt(problems, pathText(isWhole ? path : [...path, 'names']))}
        commit={(text) => edit([namesEdit(stage, text)])}
      />
      <Labels
        {...props}
        path={[...path, 'selector']}
        none="Optional: clusters with these labels are in the stage, too."
      />
    </>
  );
}

function StageFields(props: StageProps) {
  const { stage } = props;
  const at = (key: string) => [...stage.path, key];
  return (
    <>
      <div class="entries">
        <Setting {...props} label="Name of the stage" path={at('name')} />
        <StageClusters {...props} />
        <Setting {...props} label="Updating at a time" path={at('maxConcurrent')} placeholder="2 or 25%" isCount />
        <Setting {...props} label="Unavailable at most" path={at('maxUnavailable')} placeholder="2 or 25%" isCount />
        <Setting {...props} label="Bake time" path={at('bakeTime')} placeholder="10m" />
      </div>
      <Flag {...props} label="Wait for an approval before the stage begins" path={at('approval')} />
    </>
  );
}

function Stage(props: StageProps & { removed: () => void }) {
  const { rollout, stage, index, edit, problems, removed } = props;
  const { path, name, clusters, needsApproval, others } = stage;
  const isUnfinished = clusters === '' && valueAt(props.value, [...path, 'clusters']) === undefined && !isRest(stage);
  const title = `${index + 1}. ${name}${clusters === '' ? '' : `: ${clusters}`}${needsApproval ? ', by approval' : ''}`;
  const remove = (): void => {
    removed();
    edit([removedStage(rollout, stage)]);
  };
  return (
    <Folded title={title} isBad={problemAt(problems, pathText(path)) !== undefined} isOpen={isUnfinished}>
      <StageFields {...props} />
      {others.length === 0 ? null : <p class="hint">Only in the YAML, and kept: {others.join(', ')}.</p>}
      <div class="buttons">
        {index === 0 || isRest(stage) ? null : (
          <button
            type="button"
            class="small"
            onClick={once(() => edit((value, textAt) => earlierStage(value, index, textAt)))}
          >
            Move stage {index + 1} up
          </button>
        )}
        <button type="button" class="small" onClick={once(remove)}>
          Remove stage {index + 1}
        </button>
      </div>
    </Folded>
  );
}

function Stages({ rollout, ...props }: FormProps & { rollout: RolloutForm }) {
  const { edit } = props;
  const at = (key: string) => [...ROLLOUT, key];
  const { keys, removed } = useEntryKeys(valueAt(props.value, at('stages')));
  return (
    <>
      <ol class="destinations stages">
        {rollout.stages.map((stage, index) => (
          <Stage key={keys[index]} {...{ ...props, rollout, stage, index }} removed={() => removed(index)} />
        ))}
      </ol>
      <button type="button" onClick={() => edit(addedStage)}>
        Add a stage
      </button>
      <div class="entries">
        <OneOf {...props} label="If too many fail" path={at('onFailure')} choices={FAILURES} />
        <Setting {...props} label="May fail" path={at('failureBudget')} placeholder="1 or 10%" isCount />
        <Setting {...props} label="May be unreachable" path={at('unreachableBudget')} placeholder="1 or 10%" isCount />
      </div>
      <Flag {...props} label="Paused: nothing is updated or installed" path={at('paused')} />
      {rollout.others.length === 0 ? null : (
        <p class="hint">Only in the YAML, and kept: {rollout.others.join(', ')}.</p>
      )}
    </>
  );
}

/** How changes reach the destinations; one line while it is not used. */
export function Rollout(props: FormProps) {
  const rollout = rolloutOf(props.value);
  return (
    <fieldset>
      <legend>Rollout</legend>
      <Check
        label="Roll changes out in stages"
        checked={rollout !== undefined}
        check={(checked) => props.edit([rolloutEdit(checked)])}
      />
      <p class="hint">
        {rollout === undefined
          ? 'Now, a change reaches all destinations at once.'
          : `The order: ${rolloutWords(rollout)}.`}
      </p>
      {rollout === undefined ? null : <Stages {...props} rollout={rollout} />}
    </fieldset>
  );
}

import type { RolloutView } from '#queries/answers/application.js';
import { useState } from 'preact/hooks';
import { awaitedApproval, SEEN_FIELDS, type SeenRollout } from '#queries/views/rollout-requests.js';
import { ChangeDialog } from '../change/change-dialog.js';
import { CommandList } from '../parts/command-list.js';
import { rolloutActionCommands } from './model/action-commands.js';
import { noRolloutCommands, rolloutCommands } from '../parts/model/commands.js';
import { phaseWords, rolloutOffers, rolloutReasons, stageWords, type RolloutOffer } from './model/rollout-words.js';
import { Notice } from '../parts/notice.js';
import { OfferButton } from '../parts/said.js';
import { Mark } from '../parts/state.js';
import { PlannedDialog } from './planned-dialog.js';
import { type ViewProps, useActionOn } from './view.js';

interface RolloutDialogProps extends ViewProps {
  readonly offer: RolloutOffer;
  readonly close: () => void;
}

/** Of which stage and revision it is, as it was seen. */
function seenBy(action: RolloutOffer['action'], { rollout }: ViewProps['detail']): SeenRollout | undefined {
  const stage = rollout?.stages.find(({ phase }) => phase === 'AwaitingApproval')?.name;
  const { revision, id } = rollout ?? {};
  const seen: SeenRollout = { stage, revision, id, approval: rollout && awaitedApproval(rollout) };
  const fields = SEEN_FIELDS[action];
  return fields && Object.fromEntries(fields.map((field) => [field, seen[field]]));
}

/** The stage that was seen is the one that is approved. */
function RolloutDialog({ detail, path, offer: { action, label }, close }: RolloutDialogProps) {
  const [body] = useState(() => seenBy(action, detail));
  const change = useActionOn(detail, path)(`rollout/${action}`, body);
  const asked = {
    title: `${label} of ${detail.name}`,
    label,
    change,
    close,
    commands: rolloutActionCommands(detail, action, body),
  };
  // Nothing has to be seen before that: it only stops.
  if (action === 'pause') return <ChangeDialog {...asked} />;
  return <PlannedDialog name={detail.name} isDangerous={action === 'abort'} {...asked} />;
}

function Stage({ stage, reason }: { stage: RolloutView['stages'][number]; reason: string | undefined }) {
  const { name, phase, total, ready } = stage;
  const { meaning, text } = phaseWords(phase);
  return (
    <li>
      <h3>
        {name}: <Mark meaning={meaning} text={text} />
      </h3>
      <p>
        <progress aria-label={`Stage ${name}`} max={Math.max(1, total)} value={ready} /> {stageWords(stage)}
      </p>
      {reason ? <p class="message">{reason}</p> : null}
    </li>
  );
}

function Progress({ rollout }: { rollout: RolloutView | undefined }) {
  if (rollout === undefined) return <p>No rollout has begun yet.</p>;
  const { revision, id = String(revision), phase, message = '', stages, rolledBack, lastGood } = rollout;
  const { meaning, text } = phaseWords(phase);
  const reasons = rolloutReasons(rollout);
  return (
    <>
      <p class="headline" title={`Annotations name it ${id}`}>
        Revision {revision}: <Mark meaning={meaning} text={text} /> <span class="message">{message}</span>
      </p>
      {rolledBack === undefined ? null : (
        <p class="banner message">
          {rolledBack.stage === undefined ? 'It' : `Stage ${rolledBack.stage}`} was rolled back
          {rolledBack.to === undefined ? '' : ` to revision ${rolledBack.to}`}
          {reasons.back === '' ? '.' : `: ${reasons.back}`}
        </p>
      )}
      {lastGood === undefined ? null : <p>Last good revision: {lastGood}</p>}
      <h2>Stages</h2>
      <ol class="cards stages">
        {stages.map((stage, index) => (
          <Stage key={stage.name} stage={stage} reason={reasons.stages[index]} />
        ))}
      </ol>
    </>
  );
}

/** The stages of the rollout, live. */
export function RolloutView({ detail, path }: ViewProps) {
  const [asked, ask] = useState<RolloutOffer | undefined>();
  if (detail.spec.rollout === undefined) {
    return (
      <>
        <Notice title="It has no rollout">
          <p>
            Changes reach all destinations at once. With <code>spec.rollout</code> they are rolled out in stages.
          </p>
        </Notice>
        <CommandList commands={noRolloutCommands(detail)} />
      </>
    );
  }
  return (
    <>
      <div class="actions" role="group" aria-label="Actions on the rollout">
        {rolloutOffers(detail).map((offer) => (
          <OfferButton key={offer.action} label={offer.label} refused={offer.refused} take={() => ask(offer)} />
        ))}
      </div>
      <Progress rollout={detail.rollout} />
      {asked === undefined ? null : (
        <RolloutDialog detail={detail} path={path} offer={asked} close={() => ask(undefined)} />
      )}
      <CommandList commands={rolloutCommands(detail)} />
    </>
  );
}

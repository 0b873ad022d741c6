import type { ComponentType } from 'preact';
import { useState } from 'preact/hooks';
import type { ReadApplication } from '#queries/answers/application.js';
import { offersOf, type Offer } from './model/offers.js';
import { OfferButton } from '../parts/said.js';
import { AcceptClusterDialog, AbandonDialog, EndAbandonDialog } from './cluster-dialogs.js';
import { DeleteDialog } from './delete-dialog.js';
import {
  ReleaseTemplateDialog,
  SaveTemplateDialog,
  RemovalsDialog,
  ResumeDialog,
  SuspendDialog,
  SyncDialog,
} from './action-dialogs.js';
import type { ActionProps } from './view.js';

const DIALOGS: Readonly<Record<Offer['action'], ComponentType<ActionProps>>> = {
  sync: SyncDialog,
  suspend: SuspendDialog,
  resume: ResumeDialog,
  'approve-removals': RemovalsDialog,
  'accept-cluster-uid': AcceptClusterDialog,
  abandon: AbandonDialog,
  'abandon/end': EndAbandonDialog,
  'save-template': SaveTemplateDialog,
  'save-template/release': ReleaseTemplateDialog,
  delete: DeleteDialog,
};

/** What can be asked of the Application, and why not. */
export function ActionBar({ detail, path }: { detail: ReadApplication; path: string }) {
  const [asked, ask] = useState<Offer['action'] | undefined>();
  const Asked = asked === undefined ? undefined : DIALOGS[asked];
  return (
    <div class="actions" role="group" aria-label="Actions">
      {offersOf(detail).map(({ action, label, refused }) => (
        <OfferButton key={action} label={label} refused={refused} take={() => ask(action)} />
      ))}
      {Asked === undefined ? null : <Asked detail={detail} path={path} close={() => ask(undefined)} />}
    </div>
  );
}

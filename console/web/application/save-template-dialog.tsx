import { ChangeDialog } from '../change/change-dialog.js';
import { CommandList } from '../parts/command-list.js';
import { saveTemplateCommands } from '../parts/model/commands.js';
import { useActionOn } from './sync-dialog.js';
import type { ActionProps } from './view.js';

/** By the label that the controller looks for: the template follows the Application. */
export function SaveTemplateDialog({ detail, path, close }: ActionProps) {
  const change = useActionOn(detail, path)('save-template');
  return (
    <ChangeDialog title={`Save ${detail.name} as a template`} label="Save as a template" {...{ change, close }}>
      <p>
        The template has the source and the chart of this Application, or its files, and its interval and timeout.
        Values and destinations are not saved. It is not shared with other namespaces until somebody shares it.
      </p>
      <CommandList commands={saveTemplateCommands(detail)} />
    </ChangeDialog>
  );
}

/** The template stays as it is. */
export function ReleaseTemplateDialog({ detail, path, close }: ActionProps) {
  const change = useActionOn(detail, path)('save-template/release');
  return (
    <ChangeDialog title={`Stop saving ${detail.name} as a template`} label="Stop saving" {...{ change, close }}>
      <p>The template and those who use it stay, and changes of this Application do not reach it any more.</p>
      <CommandList commands={saveTemplateCommands(detail)} />
    </ChangeDialog>
  );
}

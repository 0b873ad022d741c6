import { Command } from 'commander';
import type { Template } from '#api/v1alpha1/template.js';
import {
  copyOf,
  kindToSave,
  releaseRequest,
  savedName,
  saveRequest,
} from '#controllers/application/model/spec/saved-template.js';
import { doneText } from '#queries/views/requests.js';
import type { Kube } from '#runtime/client/kube.js';
import { describeObject } from '#lib/net/urls.js';
import { annotateApplication, FIELD_MANAGER, readApplication } from '../command/application.js';
import { inNamespace } from '../command/connection.js';
import { DRY_RUN_FLAG } from '../change/request.js';
import { printSentence } from '../output/standard-output.js';
import { objectArgument } from '../command/arguments.js';
import { createNew, resourceOf, type TemplateOptions, withTemplate } from './options.js';

interface SaveOptions extends TemplateOptions {
  readonly as?: string;
  readonly release?: true;
  readonly dryRun?: true;
}

/** Creates a template that follows nobody; never writes over one. */
async function saveOnce(kube: Kube, name: string, namespace: string, { as = '', kind, dryRun }: SaveOptions) {
  const application = await readApplication(kube, name, namespace);
  const wanted = kind ?? kindToSave(application);
  const copy = copyOf(application, wanted, as);
  if ('problem' in copy) throw new Error(`Application ${namespace}/${name}: ${copy.problem}`);
  await createNew(kube, resourceOf(wanted), copy, { fieldManager: FIELD_MANAGER, dryRun: dryRun === true });
  const object = describeObject(wanted, copy.metadata);
  printSentence(doneText(`${object} created; it does not follow the Application`, dryRun === true));
}

async function save(name: string, options: SaveOptions): Promise<void> {
  const { as, release, kind, dryRun = false } = options;
  if (as !== undefined && release === true) {
    throw new Error('--release ends what a save began, and --as saves once: use only one of the two');
  }
  await inNamespace(options, async (kube, namespace) => {
    if (as !== undefined) return saveOnce(kube, name, namespace, options);
    const said = await annotateApplication({ kube, name, namespace, dryRun }, async (application) => {
      if (release === true) return releaseRequest(application);
      const wanted = kind ?? kindToSave(application);
      const place = { namespace, name: savedName(application) };
      return saveRequest(application, wanted, await kube.get<Template>(resourceOf(wanted), place));
    });
    printSentence(said);
  });
}

/** `fairlead template save`: by the label that the controller looks for. */
export function saveCommand(): Command {
  const command = new Command('save')
    .description('Save chart or files of an Application as a template that follows it.')
    .argument('<name>', 'an Application')
    .option('--as <name>', 'create a template of this name instead, once, which does not follow it', objectArgument)
    .option('--release', 'follow it no more; the template stays')
    .option(...DRY_RUN_FLAG);
  return withTemplate(command).action(save);
}

import { readLiveDiff } from '#queries/members/read-live-diff.js';
import type { Kube } from '#runtime/client/kube.js';
import { inFormat, type OutputOptions } from '../output/listing.js';
import { readApplication, selectedDestinations } from '../command/application.js';
import { print } from '../output/standard-output.js';
import { liveDiffText, liveExitCode } from './model/change-set.js';

/** A person waits for it, and each object costs its cluster two requests. */
const LIMITS = { eachMs: 60_000, allMs: 300_000 };

export interface LiveOptions extends OutputOptions {
  readonly name: string;
  readonly namespace: string;
  readonly cluster?: string | undefined;
}

/** What is wanted on the clusters of an Application, and what is there. */
export async function showLive(kube: Kube, options: LiveOptions): Promise<void> {
  const { name, namespace, cluster } = options;
  const application = await readApplication(kube, name, namespace);
  const destinations = selectedDestinations(application, cluster === undefined ? {} : { cluster });
  if (destinations.length === 0) throw new Error(`Application ${namespace}/${name} has no destination yet`);
  const views = await readLiveDiff(kube, application, destinations, LIMITS);
  print(inFormat(options, { destinations: views }, () => liveDiffText(views)));
  process.exitCode = liveExitCode(views);
}

import type Type from 'typebox';
import { flag, object, optional, referredName, text } from '../schema.js';

function secret(description: string) {
  return optional(object(description, { name: referredName('Name of the Secret.') }));
}

/** What is missing or does not fit together is reported by the controller, with the way out. */
export const InlineSource = object(
  'A Helm chart and its repository, instead of sourceRef and config.helmRelease.chart.',
  {
    repo: optional(
      text('URL of a Helm repository (https), or oci://HOST/PATH of a registry; without chart, that is the chart.', {
        maxLength: 2_048,
      }),
    ),
    chart: optional(text('Name of the chart.', { maxLength: 253 })),
    version: optional(text('Version or semver range. Default: the latest version.', { maxLength: 512 })),
    secretRef: secret('Secret with username and password, or of type dockerconfigjson for a registry.'),
    caSecretRef: secret('Secret with ca.crt, the certificate of the authority to trust.'),
    insecureSkipTLS: optional(
      flag('For a registry only, as `insecure` of an OCIRepository: if true, plain HTTP is allowed. Default: false.'),
    ),
  },
);
export type InlineSource = Type.Static<typeof InlineSource>;

/** The four use cases that the project starts from, word for word but for consistent names. */

const head = (name: string): string => `
apiVersion: gitops.kubesphere.io/v1alpha1
kind: Application
metadata:
  name: ${name}
spec:
  kind: fluxcd
  fluxApp:
    spec:
`;

const GIT_SOURCE = `      source:
        sourceRef:
          kind: GitRepository
          name: fluxcd-github-repo
          namespace: my-devops-projecthmhx2
`;

const ONE_DESTINATION = `          deploy:
            - destination:
                kubeConfig:
                targetNamespace: app
              interval: 1m0s
              upgrade:
                remediation:
                  remediateLastFailure: true
                force: true
              install:
                createNamespace: true
`;

const CHART_FROM_GIT = `${head('chengleqi-test-application-1')}${GIT_SOURCE}      config:
        helmRelease:
          chart:
            interval: 5m0s
            chart: ./helm-chart
            version: "0.1.0"
            valuesFiles:
              - ./helm-chart/values.yaml
              - ./helm-chart/aliyun-values.yaml
            reconcileStrategy: Revision
          template:
${ONE_DESTINATION}`;

const SAVED_AS_TEMPLATE = CHART_FROM_GIT.replace(
  '  name: chengleqi-test-application-1',
  '  name: chengleqi-test-application-2\n  labels:\n    gitops.kubesphere.io/save-helmtemplate: "true"',
);

const FROM_TEMPLATE = `${head('chengleqi-test-application-3')}      source:
      config:
        helmRelease:
          chart:
          template: my-devops-projecthmhx2-chengleqi-test-application-2
${ONE_DESTINATION}`;

const MULTI_CLUSTER = `${head('chengleqi-test-application-4')}${GIT_SOURCE}      config:
        helmRelease:
          chart:
          template: my-devops-projecthmhx2-chengleqi-test-application-2
          deploy:
            - destination:
                kubeConfig:
                  secretRef:
                    name: stage-kubeconfig
                targetNamespace: app
              valuesFrom:
                - kind: ConfigMap
                  name: stage-settings
              values:
                clouds:
                  provider: qingcloud
              install:
                remediation:
                  retries: 3
            - destination:
                kubeConfig:
                  secretRef:
                    name: prod-kubeconfig
                targetNamespace: app
              valuesFrom:
                - kind: Secret
                  name: dbpass
              values:
                clouds:
                  provider: aliyun
              upgrade:
                remediation:
                  remediateLastFailure: true
                force: true
              interval: 1m0s
`;

/** The first shape of the seed: what is the same everywhere is said once. */
const FIRST_SHAPE = `${head('first-shape')}      interval: 5m
      source:
        sourceRef: {kind: HelmRepository, name: podinfo, namespace: default}
      destination:
        kubeConfig: {secretRef: {name: stage-kubeconfig, key: value}}
        targetNamespace: app
      config:
        suspend: false
        timeout: 1m
        dependsOn: [{name: other}]
        serviceAccountName: deployer
        helmRelease:
          chart: {chart: podinfo}
          deploy: [{}]
`;

const KUSTOMIZATIONS = `
apiVersion: gitops.kubesphere.io/v1alpha1
kind: Application
metadata:
  name: kustomizations
spec:
  fluxApp:
    spec:
      source:
        sourceRef: {apiVersion: source.toolkit.fluxcd.io/v1, kind: OCIRepository, name: apps}
      config:
        kustomization:
          - destination: {targetNamespace: app}
            interval: 1m
            prune: true
            path: ./deploy
            retryInterval: 30s
            decryption: {provider: sops, secretRef: {name: keys}}
            postBuild: {substitute: {a: b}, substituteFrom: [{kind: Secret, name: more}]}
            healthChecks: [{apiVersion: apps/v1, kind: Deployment, name: web, namespace: app}]
            patches: [{patch: "[]", target: {kind: Deployment}}]
            images: [{name: web, newTag: "2"}]
            wait: true
            force: false
`;

export const USE_CASES: readonly (readonly [name: string, yaml: string])[] = [
  ['a chart of a Git repository', CHART_FROM_GIT],
  ['a chart that is saved as a template', SAVED_AS_TEMPLATE],
  ['a template that was saved', FROM_TEMPLATE],
  ['many clusters with values of their own', MULTI_CLUSTER],
  ['the first shape', FIRST_SHAPE],
  ['kustomizations', KUSTOMIZATIONS],
];

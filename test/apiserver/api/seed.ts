/** The four use cases that the project starts from, word for word but for consistent names. */

const CHART_FROM_GIT = `
apiVersion: gitops.kubesphere.io/v1alpha1
kind: Application
metadata:
  name: chengleqi-test-application-1
spec:
  kind: fluxcd
  fluxApp:
    spec:
      source:
        sourceRef:
          kind: GitRepository
          name: fluxcd-github-repo
          namespace: my-devops-projecthmhx2
      config:
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
          deploy:
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

const SAVED_AS_TEMPLATE = CHART_FROM_GIT.replace(
  '  name: chengleqi-test-application-1',
  '  name: chengleqi-test-application-2\n  labels:\n    gitops.kubesphere.io/save-helmtemplate: "true"',
);

const FROM_TEMPLATE = `
apiVersion: gitops.kubesphere.io/v1alpha1
kind: Application
metadata:
  name: chengleqi-test-application-3
spec:
  kind: fluxcd
  fluxApp:
    spec:
      source:
      config:
        helmRelease:
          chart:
          template: my-devops-projecthmhx2-chengleqi-test-application-2
          deploy:
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

const MULTI_CLUSTER = `
apiVersion: gitops.kubesphere.io/v1alpha1
kind: Application
metadata:
  name: chengleqi-test-application-4
spec:
  kind: fluxcd
  fluxApp:
    spec:
      source:
        sourceRef:
          kind: GitRepository
          name: fluxcd-github-repo
          namespace: my-devops-projecthmhx2
      config:
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
const FIRST_SHAPE = `
apiVersion: gitops.kubesphere.io/v1alpha1
kind: Application
metadata:
  name: first-shape
spec:
  kind: fluxcd
  fluxApp:
    spec:
      interval: 5m
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

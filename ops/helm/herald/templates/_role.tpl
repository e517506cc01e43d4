{{/*
The objects of one role: called with (list $ "api"). The three roles are one program with one argument, so they differ in
their values, in the port that readiness asks, and in nothing else.
*/}}
{{- define "herald.role" -}}
{{- $root := index . 0 -}}
{{- $role := index . 1 -}}
{{- $values := index $root.Values $role -}}
{{- $autoscaling := $values.autoscaling | default dict -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "herald.name" . }}
  labels:
    {{- include "herald.labels" . | nindent 4 }}
spec:
  {{- if not $autoscaling.enabled }}
  replicas: {{ $values.replicas }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "herald.selector" . | nindent 6 }}
  strategy:
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  template:
    metadata:
      labels:
        {{- include "herald.labels" . | nindent 8 }}
      annotations:
        prometheus.io/scrape: 'true'
        prometheus.io/port: '9464'
        # New settings restart the pods.
        herald/settings: {{ include "herald.settings" $root | sha256sum | quote }}
    spec:
      # Time for an attempt in flight (up to 10 s) and for running requests.
      terminationGracePeriodSeconds: 75
      automountServiceAccountToken: false
      # Otherwise Kubernetes adds variables with the prefix HERALD_.
      enableServiceLinks: false
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets: {{ toJson . }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 1000
        seccompProfile: { type: RuntimeDefault }
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "herald.selector" . | nindent 14 }}
      containers:
        - name: herald
          image: {{ printf "%s:%s" $root.Values.image.repository ($root.Values.image.tag | default $root.Chart.AppVersion) | quote }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: [start, --roles, {{ $role }}]
          envFrom:
            - configMapRef: { name: {{ $root.Release.Name }} }
            - secretRef: { name: {{ required "existingSecret: name a Secret with DATABASE_URL and HERALD_ENCRYPTION_KEY" $root.Values.existingSecret }} }
          ports:
            {{- if eq $role "api" }}
            - { name: http, containerPort: 3000 }
            {{- end }}
            - { name: metrics, containerPort: 9464 }
          startupProbe:
            httpGet: { path: /healthz, port: metrics }
            periodSeconds: 2
            failureThreshold: 60
          # Asks only the process: without its database it is unready, not dead.
          livenessProbe:
            httpGet: { path: /healthz, port: metrics }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: /readyz, port: {{ if eq $role "api" }}http{{ else }}metrics{{ end }} }
            periodSeconds: 5
            timeoutSeconds: 5
          {{- if eq $role "api" }}
          # Keeps serving until every load balancer has removed the pod.
          lifecycle:
            preStop:
              exec: { command: [sleep, '5'] }
          {{- end }}
          resources: {{ toJson $values.resources }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
{{- if $root.Values.podDisruptionBudget.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "herald.name" . }}
  labels:
    {{- include "herald.labels" . | nindent 4 }}
spec:
  maxUnavailable: {{ $root.Values.podDisruptionBudget.maxUnavailable }}
  selector:
    matchLabels:
      {{- include "herald.selector" . | nindent 6 }}
{{- end }}
{{- if $autoscaling.enabled }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "herald.name" . }}
  labels:
    {{- include "herald.labels" . | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ include "herald.name" . }} }
  minReplicas: {{ $autoscaling.minReplicas }}
  maxReplicas: {{ $autoscaling.maxReplicas }}
  metrics:
    # JavaScript runs on one core of each process, so CPU is what runs out first.
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ $autoscaling.cpu }} }
    {{- if $autoscaling.relayLagSeconds }}
    - type: External
      external:
        metric:
          name: herald_relay_lag_seconds
          selector:
            matchLabels: { relay: deliveries }
        target: { type: Value, value: {{ $autoscaling.relayLagSeconds | quote }} }
    {{- end }}
  behavior:
    scaleDown: { stabilizationWindowSeconds: 300 }
{{- end }}
{{- end }}

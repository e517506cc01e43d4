{{/* Selector labels of one role: called with (list $ "api"). They never change, because a Deployment's selector cannot. */}}
{{- define "herald.selector" -}}
app.kubernetes.io/name: herald
app.kubernetes.io/instance: {{ (index . 0).Release.Name | quote }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* All labels of one role. */}}
{{- define "herald.labels" -}}
{{ include "herald.selector" . }}
app.kubernetes.io/version: {{ (index . 0).Chart.AppVersion | quote }}
{{- end }}

{{/* Name of one role's objects. */}}
{{- define "herald.name" -}}
{{ (index . 0).Release.Name }}-{{ index . 1 }}
{{- end }}

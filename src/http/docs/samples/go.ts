import { KEY_VARIABLE, type SampleRequest } from './request';

export function goSample({ method, url, needsKey, headers, body }: SampleRequest): string {
  const imports = [
    ...['fmt', 'io', 'net/http'],
    ...(needsKey ? ['os'] : []),
    ...(body === undefined ? [] : ['strings']),
  ];
  const sent = [
    ...(needsKey ? [`req.Header.Set("Authorization", "Bearer "+os.Getenv("${KEY_VARIABLE}"))`] : []),
    ...Object.entries(headers).map(
      ([name, value]) => `req.Header.Set(${JSON.stringify(name)}, ${JSON.stringify(value)})`,
    ),
    ...(body === undefined ? [] : ['req.Header.Set("Content-Type", "application/json")']),
  ];
  const lines = [
    ...(body === undefined ? [] : [`body := strings.NewReader(${raw(JSON.stringify(body, null, 2))})`]),
    `req, err := http.NewRequest("${method}", ${JSON.stringify(url)}, ${body === undefined ? 'nil' : 'body'})`,
    'if err != nil {',
    '\tpanic(err)',
    '}',
    ...sent,
    'res, err := http.DefaultClient.Do(req)',
    'if err != nil {',
    '\tpanic(err)',
    '}',
    'defer res.Body.Close()',
    'data, _ := io.ReadAll(res.Body)',
    'fmt.Println(res.Status, string(data))',
  ];
  return [
    'package main',
    '',
    'import (',
    ...imports.map((name) => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    ...lines.map((line) => `\t${line}`),
    '}',
  ].join('\n');
}

/** A raw string of Go cannot contain a backtick. */
function raw(text: string): string {
  return text.includes('`') ? JSON.stringify(text) : `\`${text}\``;
}

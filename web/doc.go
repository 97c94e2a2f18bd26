// Package web is the dashboard of runs and its JSON API.
//
// It owns the pages (ui, built into dist and embedded), the API under /api/v1 (docs/api.md), the live stream of
// committed cycles, the metrics for Prometheus, the report of one page that can be mailed, and who may ask: anybody on
// the loopback interface, holders of the token elsewhere, and no other site's page anywhere. It declares what it needs
// of a run (Run), of a jail to play in (Table) and of a layout for its map (Options.Project); it knows neither how a
// run is stored (store) nor how an environment is run (sandbox). It never changes a run.
//
// What a run holds was written by a model. The API sends it as JSON and the pages show it as text, never as markup,
// under a content security policy that lets nothing but the embedded files run.
//
// A server keeps an index of each run that is looked at: a few hundred bytes for each environment and design. Texts are
// read when they are asked for. It is used by spade ui, spade run --ui and spade show --html.
package web

# The package of the scripts: its folders lie beside the commands as they do in
# the source.
verbsperfdir = $(pkgdatadir)/verbsperf
dist_verbsperf_DATA = scripts/verbsperf/__init__.py

verbsperf_agentsdir = $(verbsperfdir)/agents
dist_verbsperf_agents_DATA = \
	scripts/verbsperf/agents/__init__.py \
	scripts/verbsperf/agents/agent.py \
	scripts/verbsperf/agents/coordinator.py \
	scripts/verbsperf/agents/fleet.py \
	scripts/verbsperf/agents/launch.py

verbsperf_basedir = $(verbsperfdir)/base
dist_verbsperf_base_DATA = \
	scripts/verbsperf/base/__init__.py \
	scripts/verbsperf/base/command.py \
	scripts/verbsperf/base/errors.py \
	scripts/verbsperf/base/foreign.py \
	scripts/verbsperf/base/metrics.py \
	scripts/verbsperf/base/missing.py \
	scripts/verbsperf/base/progress.py \
	scripts/verbsperf/base/tables.py

verbsperf_clusterdir = $(verbsperfdir)/cluster
dist_verbsperf_cluster_DATA = \
	scripts/verbsperf/cluster/__init__.py \
	scripts/verbsperf/cluster/comparison.py \
	scripts/verbsperf/cluster/file.py \
	scripts/verbsperf/cluster/heatmap.py \
	scripts/verbsperf/cluster/limits.py \
	scripts/verbsperf/cluster/nodes.py \
	scripts/verbsperf/cluster/page.py \
	scripts/verbsperf/cluster/rails.py \
	scripts/verbsperf/cluster/running.py \
	scripts/verbsperf/cluster/view.py

verbsperf_commandsdir = $(verbsperfdir)/commands
dist_verbsperf_commands_DATA = \
	scripts/verbsperf/commands/__init__.py \
	scripts/verbsperf/commands/cluster.py \
	scripts/verbsperf/commands/compare.py \
	scripts/verbsperf/commands/plot.py \
	scripts/verbsperf/commands/selftest.py \
	scripts/verbsperf/commands/sweep.py

verbsperf_comparedir = $(verbsperfdir)/compare
dist_verbsperf_compare_DATA = \
	scripts/verbsperf/compare/__init__.py \
	scripts/verbsperf/compare/alike.py \
	scripts/verbsperf/compare/comparison.py \
	scripts/verbsperf/compare/question.py \
	scripts/verbsperf/compare/sides.py \
	scripts/verbsperf/compare/view.py

verbsperf_documentsdir = $(verbsperfdir)/documents
dist_verbsperf_documents_DATA = \
	scripts/verbsperf/documents/__init__.py \
	scripts/verbsperf/documents/environment.py \
	scripts/verbsperf/documents/fields.py \
	scripts/verbsperf/documents/formats.py \
	scripts/verbsperf/documents/jsonfile.py \
	scripts/verbsperf/documents/points.py \
	scripts/verbsperf/documents/results.py \
	scripts/verbsperf/documents/sources.py \
	scripts/verbsperf/documents/writer.py

verbsperf_findingsdir = $(verbsperfdir)/findings
dist_verbsperf_findings_DATA = \
	scripts/verbsperf/findings/__init__.py \
	scripts/verbsperf/findings/evidence.py \
	scripts/verbsperf/findings/causes.py \
	scripts/verbsperf/findings/inquiry.py \
	scripts/verbsperf/findings/observed.py \
	scripts/verbsperf/findings/words.py

verbsperf_formsdir = $(verbsperfdir)/forms
dist_verbsperf_forms_DATA = \
	scripts/verbsperf/forms/__init__.py \
	scripts/verbsperf/forms/cases.py \
	scripts/verbsperf/forms/reports.py

verbsperf_historydir = $(verbsperfdir)/history
dist_verbsperf_history_DATA = \
	scripts/verbsperf/history/__init__.py \
	scripts/verbsperf/history/bases.py \
	scripts/verbsperf/history/file.py \
	scripts/verbsperf/history/nights.py \
	scripts/verbsperf/history/plots.py \
	scripts/verbsperf/history/steps.py

verbsperf_nicsdir = $(verbsperfdir)/nics
dist_verbsperf_nics_DATA = \
	scripts/verbsperf/nics/__init__.py \
	scripts/verbsperf/nics/plots.py \
	scripts/verbsperf/nics/ranking.py \
	scripts/verbsperf/nics/report.py \
	scripts/verbsperf/nics/setups.py \
	scripts/verbsperf/nics/view.py

verbsperf_pairsdir = $(verbsperfdir)/pairs
dist_verbsperf_pairs_DATA = \
	scripts/verbsperf/pairs/__init__.py \
	scripts/verbsperf/pairs/nodesets.py \
	scripts/verbsperf/pairs/patterns.py

verbsperf_plandir = $(verbsperfdir)/plan
dist_verbsperf_plan_DATA = \
	scripts/verbsperf/plan/__init__.py \
	scripts/verbsperf/plan/options.py \
	scripts/verbsperf/plan/program.py \
	scripts/verbsperf/plan/suite.py \
	scripts/verbsperf/plan/target.py

verbsperf_plotdir = $(verbsperfdir)/plot
dist_verbsperf_plot_DATA = \
	scripts/verbsperf/plot/__init__.py \
	scripts/verbsperf/plot/axes.py \
	scripts/verbsperf/plot/curves.py \
	scripts/verbsperf/plot/drawing.py \
	scripts/verbsperf/plot/figure.py \
	scripts/verbsperf/plot/labels.py \
	scripts/verbsperf/plot/looks.py \
	scripts/verbsperf/plot/series.py \
	scripts/verbsperf/plot/spans.py

verbsperf_statsdir = $(verbsperfdir)/stats
dist_verbsperf_stats_DATA = \
	scripts/verbsperf/stats/__init__.py \
	scripts/verbsperf/stats/libraries.py \
	scripts/verbsperf/stats/noise.py \
	scripts/verbsperf/stats/ranks.py \
	scripts/verbsperf/stats/verdict.py

verbsperf_sweepdir = $(verbsperfdir)/sweep
dist_verbsperf_sweep_DATA = \
	scripts/verbsperf/sweep/__init__.py \
	scripts/verbsperf/sweep/contents.py \
	scripts/verbsperf/sweep/file.py \
	scripts/verbsperf/sweep/limits.py \
	scripts/verbsperf/sweep/measure.py \
	scripts/verbsperf/sweep/rounds.py \
	scripts/verbsperf/sweep/running.py

package_files = $(dist_verbsperf_DATA) $(dist_verbsperf_agents_DATA) \
	$(dist_verbsperf_base_DATA) $(dist_verbsperf_cluster_DATA) \
	$(dist_verbsperf_commands_DATA) $(dist_verbsperf_compare_DATA) \
	$(dist_verbsperf_documents_DATA) $(dist_verbsperf_findings_DATA) \
	$(dist_verbsperf_forms_DATA) $(dist_verbsperf_history_DATA) \
	$(dist_verbsperf_nics_DATA) $(dist_verbsperf_pairs_DATA) \
	$(dist_verbsperf_plan_DATA) $(dist_verbsperf_plot_DATA) \
	$(dist_verbsperf_stats_DATA) $(dist_verbsperf_sweep_DATA)

# bash completion for fairground; made by `fairground help --completion`
_fairground_commands="new run compare kernels machine record doctor replay explain advise oracle measure help"
_fairground_shapes="one-hog two-hogs nested web gc batch pipe-test hackbench schbench burst threads"
_fairground_machines="flat c5.9xlarge r4.16xlarge m5.24xlarge epyc-7742 power9 guest-2 guest-4 guest-8"
_fairground_rows="3.2 3.16 4.2 4.14 4.14.133 4.18 5.3 5.4 5.10 5.15 6.1 6.4 6.6 6.12 6.18 7.2"
_fairground_rules="bw_expiry=none bw_expiry=deadline bw_expiry=inverted bw_expiry=seq bw_restart=refill bw_restart=keep bw_restart=advance bw_list=tail bw_list=head bw_list=mixed bw_pool=hidden bw_pool=shared bw_pool=exact bw_slack_timer=grid bw_slack_timer=restart bw_slack_timer=fixed bw_throttled_draw=off bw_throttled_draw=on bw_stretch=none bw_stretch=scaled bw_stretch=doubled bw_stretch_late=off bw_stretch_late=on bw_reask=off bw_reask=on bw_refill=set bw_refill=add bw_burst_stat=off bw_burst_stat=on bw_burst_unit=right bw_burst_unit=divided bw_unthrottle=direct bw_unthrottle=ipi bw_throttle=group bw_throttle=task bw_throttle=charge bw_phase=grid bw_phase=random bw_empty_time=counted bw_empty_time=queued bw_empty_time=parked bw_stat_local=off bw_stat_local=on bw_arm_on_throttle=off bw_arm_on_throttle=on bw_arm_on_write=active bw_arm_on_write=always bw_write_leaves=zero bw_write_leaves=one bw_offline_gift=quota bw_offline_gift=one bw_hotplug=all bw_hotplug=own bw_max_quota=off bw_max_quota=on bw_v2_hierarchy=refuse bw_v2_hierarchy=unlimited bw_v2_hierarchy=min cgroup=v1 cgroup=v2 bw_child_count=off bw_child_count=on fair_inverse=rounded fair_inverse=truncated load_scale=off load_scale=on wake_renorm=always wake_renorm=moved put_chain=whole put_chain=differing min_vruntime_curr=always min_vruntime_curr=queued gentle_fair_sleepers=off gentle_fair_sleepers=on start_debit=off start_debit=on next_buddy=off next_buddy=on last_buddy=off last_buddy=on wakeup_preemption=off wakeup_preemption=on child_runs_first=off child_runs_first=on alt_period=off alt_period=on base_slice=off base_slice=on idle_granularity=off idle_granularity=on cpu_idle=off cpu_idle=on slice_cap=off slice_cap=on long_sleeper=off long_sleeper=on group_load=windows group_load=averages group_load_rate=any group_load_rate=ms empty_weight=falls empty_weight=kept rfc_kthread=off rfc_kthread=posted rfc_kthread=text pick=vruntime pick=eevdf place_lag=off place_lag=on place_deadline_initial=off place_deadline_initial=on initial_deadline=lost initial_deadline=kept run_to_parity=off run_to_parity=on slice_protect=deadline slice_protect=time slice_protect=pick reweight_keeps=v reweight_keeps=lag reweight_keeps=request delay_dequeue=off delay_dequeue=on delay_zero=off delay_zero=on delay_bound=off delay_bound=on place_rel_deadline=off place_rel_deadline=on custom_slice=off custom_slice=on preempt_short=off preempt_short=on group_slice=off group_slice=on pick_buddy=off pick_buddy=on wake_test=deadline wake_test=pick lag_limit=slice lag_limit=queue yield_forfeits=off yield_forfeits=on fork_preempts=off fork_preempts=on idle_level=task idle_level=meeting idle_cancel=off idle_cancel=on resched_lazy=off resched_lazy=on hrtick=off hrtick=on preempt=none preempt=voluntary preempt=full preempt=lazy sd_defaults=arch sd_defaults=weight cluster_level=off cluster_level=on smt_capacity=shared smt_capacity=whole numa_groups=below numa_groups=within cpu_load=weight cpu_load=runnable cpu_load=total util_est=off util_est=on util_est_fastup=off util_est_fastup=on util_est_keeps=average util_est_keeps=both util_est_keeps=one util_est_as_of=sleep util_est_as_of=update util_est_exec=left util_est_exec=taken wake_wide=off wake_wide=waker wake_wide=pair wake_affine=balanced wake_affine=idle wake_affine=shared wake_affine=prev wake_search=affine wake_search=always sync_exiting=heard sync_exiting=ignored sync_delayed=off sync_delayed=on current_cpu=off current_cpu=on prev_idle=off prev_idle=on kthread_stacking=off kthread_stacking=any kthread_stacking=task recent_used=off recent_used=waker recent_used=wakee idle_search=groups idle_search=twice idle_search=once sis_prop=off sis_prop=on sis_util=off sis_util=on sis_counts=all sis_counts=allowed cluster_first=off cluster_first=on idle_policy_cpu=off idle_policy_cpu=any idle_policy_cpu=normal fork_search=load fork_search=spare fork_search=types fork_counts=all fork_counts=allowed fork_numa=idle fork_numa=limit fork_cpu=load fork_cpu=idle fork_event=off fork_event=on affinity_pick=lowest affinity_pick=rotating user_cpus=off user_cpus=on cpuset_v2=nested cpuset_v2=own cpuset_v2=free wake_list=off wake_list=far wake_list=idle balancer=tasks balancer=load balancer=types busy_interval=whole busy_interval=less lb_sched_idle=off lb_sched_idle=on lb_designated=cpu lb_designated=core lb_imbalanced=loads lb_imbalanced=flag lb_force=newidle lb_force=idle prefer_sibling=child prefer_sibling=group smt_balance=off smt_balance=on lb_numa=pair lb_numa=limit lb_source=any lb_source=queued lb_util=used lb_util=runnable lb_relax=half lb_relax=failed lb_order=queued lb_order=picked lb_kthread=pinned lb_kthread=skipped lb_delayed=moved lb_delayed=load lb_ineligible=off lb_ineligible=on lb_serialized=later lb_serialized=balanced active_cause=any active_cause=tasks active_kick=settles active_kick=counts newidle_gate=time newidle_gate=overload newidle_gate=cost newidle_amount=size newidle_amount=one newidle_pending=off newidle_pending=on newidle_dice=off newidle_dice=ratio newidle_dice=timed gather=off gather=active_set gather=openvz gather=funded gather=home gather=adaptive "
_fairground()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= others= w values=
	# bash splits words at "=": put name and value together again
	if [ "$cur" = = ]; then cur=; elif [ "$prev" = = ]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi
	for w in $_fairground_rules; do [ "${w%%=*}" = "$prev" ] && values="$values ${w#*=}"; done
	if [ -n "$values" ]; then COMPREPLY=($(compgen -W "$values" -- "$cur")); return; fi
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "$_fairground_commands --help --version" -- "$cur"))
		return
	fi
	case $prev in
	--output) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--kernel) COMPREPLY=($(compgen -W "$_fairground_rows" -- "$cur")); return ;;
	--rule) COMPREPLY=($(compgen -W "$_fairground_rules" -- "$cur")); return ;;
	--hz) COMPREPLY=($(compgen -W "100 250 300 1000" -- "$cur")); return ;;
	--topology) COMPREPLY=($(compgen -f -W "$_fairground_machines" -- "$cur")); return ;;
	--costs) COMPREPLY=($(compgen -W "none" -- "$cur")); return ;;
	--limits-from) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--driver) COMPREPLY=($(compgen -W "cgroupfs systemd" -- "$cur")); return ;;
	--weights) COMPREPLY=($(compgen -W "old new" -- "$cur")); return ;;
	--proc-root) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--sys-root) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--cgroup) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--cgroup-root) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--tracefs) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--cgroups) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--cpu-stat) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--save-scenario) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--row) COMPREPLY=($(compgen -W "$_fairground_rows" -- "$cur")); return ;;
	--kind) COMPREPLY=($(compgen -W "pinned unpinned" -- "$cur")); return ;;
	--data) COMPREPLY=($(compgen -f -- "$cur")); return ;;
	esac
	case ${COMP_WORDS[1]} in
	new) words="--output --help"; others="@shape" ;;
	run) words="--kernel --rule --tunable --hz --limit --cpus --cpuset --topology --costs --limits-from --driver --weights --rtapp-compat --seed --duration --runs --phases --jobs --no-skip --check-laws --snapshot --live --json --periods --threads --help"; others="@file" ;;
	compare) words="--kernel --rule --tunable --hz --limit --cpus --cpuset --topology --costs --limits-from --driver --weights --rtapp-compat --vs --seed --duration --runs --phases --jobs --no-skip --check-laws --expect-same --why --json --periods --threads --help"; others="@file" ;;
	kernels) words="--detect --proc-root --distributions --json --markdown --help"; others="@row" ;;
	machine) words="--snapshot --names --sys-root --json --kernel --rule --tunable --hz --help"; others="@machine" ;;
	record) words="--cgroup --pid --container --all --output --duration --light --poll --buffer --cgroup-root --tracefs --json --help"; others="" ;;
	doctor) words="--cgroups --json --help"; others="@file" ;;
	replay) words="--limit --period --burst --threads --kernel --rule --tunable --cpus --hz --topology --limits-from --driver --weights --and --recorded --comm --pid --group --cgroups --cpu-stat --request --phases --save-scenario --jobs --json --periods --per-thread --help"; others="@file" ;;
	explain) words="--recorded --comm --pid --group --cgroups --cpu-stat --request --seconds --fleet --duration --jobs --json --kernel --rule --tunable --hz --limit --cpus --cpuset --topology --costs --limits-from --driver --weights --rtapp-compat --help"; others="@file" ;;
	advise) words="--target --no-throttle --task --curve --phases --duration --jobs --json --recorded --comm --pid --group --cgroups --cpu-stat --kernel --rule --tunable --hz --limit --cpus --cpuset --topology --costs --limits-from --driver --weights --rtapp-compat --help"; others="@file" ;;
	oracle) words="--row --kind --case --trace --min --data --tolerances --json --help"; others="@file" ;;
	measure) words="--repeat --within --cgroup-root --ahead --duration --tolerances --json --kernel --rule --tunable --hz --limit --cpus --cpuset --topology --costs --limits-from --driver --weights --rtapp-compat --help"; others="@file" ;;
	help) words="--man --completion --help"; others="@command" ;;
	esac
	case $cur in
	-*) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
	*) case $others in
	   @file) COMPREPLY=($(compgen -f -- "$cur")) ;;
	   @command) COMPREPLY=($(compgen -W "$_fairground_commands" -- "$cur")) ;;
	   @shape) COMPREPLY=($(compgen -W "$_fairground_shapes" -- "$cur")) ;;
	   @machine) COMPREPLY=($(compgen -f -W "$_fairground_machines" -- "$cur")) ;;
	   @row) COMPREPLY=($(compgen -W "$_fairground_rows" -- "$cur")) ;;
	   *) COMPREPLY=($(compgen -W "$others" -- "$cur")) ;;
	   esac ;;
	esac
}
complete -o filenames -F _fairground fairground
